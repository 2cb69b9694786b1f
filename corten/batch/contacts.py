"""The contacts of one world of a block, as a single world has them."""

from __future__ import annotations

import numpy as np

from corten.kernel.record import Record, RecordType
from corten.model.contacts import PREFIX, Contacts
from corten.model.data_fields import CONTACT
from corten.physics.constraint.contacts import GAP

CONTACTS = RecordType("Contacts", CONTACT)


def count_contacts(exclude: np.ndarray, nslot: int) -> np.ndarray:
    """Contacts of each world of a block, from `contact_exclude` with the worlds last: slots that are not gaps."""
    return np.count_nonzero(exclude[:nslot] != GAP, axis=0)


def contacts_of(block: Record, lane: int) -> Contacts:
    """A copy of the contacts of one world, without the gaps, and with rows numbered as if the world were alone.

    Rows that only other worlds of the block need have D = 0 in this one.
    """
    nslot = int(block.nslot)
    used = _of_lane(block, "contact_exclude", lane)[:nslot] != GAP
    record = Record(CONTACTS, {"nconcap": int(used.sum())})
    record.ncon = record.ncon_wanted = int(used.sum())
    for f in CONTACT:
        if f.name.startswith(PREFIX):
            record.array(f.name)[...] = _of_lane(block, f.name, lane)[:nslot][used]
    own_rows = _of_lane(block, "efc_D", lane)[: int(block.nefc)] != 0
    number = np.concatenate([[0], np.cumsum(own_rows)])
    address = record.array("contact_efc_address")
    address[...] = np.where(address >= 0, number[address], -1)
    return Contacts(record)


def _of_lane(block: Record, name: str, lane: int) -> np.ndarray:
    array = block.array(name)
    return array[..., lane] if block._element.n > 1 else array
