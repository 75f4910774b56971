//! Two more small projects, so that there are places for faults of every class: a ring of numbers with its
//! text format in C, a ledger in Python.

/// Files of the project in C.
pub(super) const RING: &[(&str, &str)] = &[
    (".gitignore", "build\n"),
    (
        "Makefile",
        "CFLAGS = -O0 -Wall -Wextra -Isrc\n\n.PHONY: test\n\ntest: build/suite\n\t./build/suite\n\n\
         build/suite: src/ring.c src/format.c tests/suite.c src/ring.h src/format.h\n\t@mkdir -p build\n\t\
         $(CC) $(CFLAGS) -o $@ src/ring.c src/format.c tests/suite.c\n",
    ),
    (
        "src/ring.h",
        r"#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stddef.h>

#define RING_CAPACITY 4

typedef struct {
  long items[RING_CAPACITY];
  size_t first;
  size_t length;
} Ring;

void ring_reset(Ring *ring);
bool ring_is_full(const Ring *ring);
bool ring_append(Ring *ring, long item);
bool ring_take(Ring *ring, long *item);
long ring_sum(const Ring *ring);
long ring_largest(const Ring *ring, long otherwise);

#endif
",
    ),
    (
        "src/ring.c",
        r#"#include "ring.h"

#include <string.h>

static size_t position(const Ring *ring, size_t offset) {
  return (ring->first + offset) % RING_CAPACITY;
}

void ring_reset(Ring *ring) {
  memset(ring, 0, sizeof(*ring));
}

bool ring_is_full(const Ring *ring) {
  return ring->length == RING_CAPACITY;
}

bool ring_append(Ring *ring, long item) {
  if (ring_is_full(ring)) {
    return false;
  }
  ring->items[position(ring, ring->length)] = item;
  ring->length++;
  return true;
}

bool ring_take(Ring *ring, long *item) {
  if (ring->length == 0) {
    return false;
  }
  *item = ring->items[ring->first];
  ring->first = position(ring, 1);
  ring->length--;
  return true;
}

long ring_sum(const Ring *ring) {
  long sum = 0;
  for (size_t offset = 0; offset < ring->length; offset++) {
    sum += ring->items[position(ring, offset)];
  }
  return sum;
}

long ring_largest(const Ring *ring, long otherwise) {
  long largest = otherwise;
  for (size_t offset = 0; offset < ring->length; offset++) {
    long item = ring->items[position(ring, offset)];
    if (offset == 0 || item > largest) {
      largest = item;
    }
  }
  return largest;
}
"#,
    ),
    (
        "src/format.h",
        r#"#ifndef FORMAT_H
#define FORMAT_H

#include "ring.h"

typedef enum { KIND_NUMBER, KIND_WORD, KIND_BLANK } Kind;

Kind kind_of(const char *text);
const char *kind_name(Kind kind);
bool ring_parse(Ring *ring, const char *text);
size_t ring_print(const Ring *ring, char *text, size_t room);

#endif
"#,
    ),
    (
        "src/format.c",
        r#"#include "format.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Kind kind_of(const char *text) {
  if (text[0] == '\0') {
    return KIND_BLANK;
  }
  for (size_t index = 0; text[index] != '\0'; index++) {
    if (!isdigit((unsigned char)text[index])) {
      return KIND_WORD;
    }
  }
  return KIND_NUMBER;
}

const char *kind_name(Kind kind) {
  switch (kind) {
    case KIND_NUMBER:
      return "number";
    case KIND_WORD:
      return "word";
    case KIND_BLANK:
      return "blank";
  }
  return "unknown";
}

bool ring_parse(Ring *ring, const char *text) {
  char copy[64];
  if (strlen(text) >= sizeof(copy)) {
    return false;
  }
  strcpy(copy, text);
  ring_reset(ring);
  for (char *part = strtok(copy, " "); part != NULL; part = strtok(NULL, " ")) {
    if (kind_of(part) != KIND_NUMBER || !ring_append(ring, strtol(part, NULL, 10))) {
      return false;
    }
  }
  return true;
}

size_t ring_print(const Ring *ring, char *text, size_t room) {
  size_t used = 0;
  Ring copy = *ring;
  long item = 0;
  while (ring_take(&copy, &item)) {
    const char *gap = used == 0 ? "" : ", ";
    int written = snprintf(text + used, room - used, "%s%ld", gap, item);
    if (written < 0 || (size_t)written >= room - used) {
      return 0;
    }
    used += (size_t)written;
  }
  return used;
}
"#,
    ),
    (
        "tests/suite.c",
        r#"#include <stdio.h>
#include <string.h>

#include "format.h"
#include "ring.h"

static int failures = 0;

static void expect(const char *what, long wanted, long found) {
  if (wanted != found) {
    printf("tests/suite.c: %s: expected %ld, found %ld\n", what, wanted, found);
    failures++;
  }
}

int main(void) {
  Ring ring;
  long item = 0;
  char text[32];
  expect("parses", 1, ring_parse(&ring, "3 10 2"));
  expect("sum", 15, ring_sum(&ring));
  expect("largest", 10, ring_largest(&ring, -1));
  expect("takes", 1, ring_take(&ring, &item));
  expect("first", 3, item);
  expect("appends", 1, ring_append(&ring, 7) && ring_append(&ring, 8));
  expect("is full", 1, ring_is_full(&ring));
  expect("refuses", 0, ring_append(&ring, 9));
  expect("prints", 11, (long)ring_print(&ring, text, sizeof(text)));
  expect("text", 0, strcmp(text, "10, 2, 7, 8"));
  expect("too small", 0, (long)ring_print(&ring, text, 4));
  expect("word", 0, ring_parse(&ring, "1 two"));
  expect("too many", 0, ring_parse(&ring, "1 2 3 4 5"));
  expect("too long", 0, ring_parse(&ring, "1111111111 1111111111 1111111111 1111111111 1111111111 1111111111"));
  ring_reset(&ring);
  expect("empty", 0, ring_take(&ring, &item));
  expect("otherwise", -1, ring_largest(&ring, -1));
  expect("number", 0, strcmp(kind_name(kind_of("12")), "number"));
  expect("a word", 0, strcmp(kind_name(kind_of("a1")), "word"));
  expect("blank", 0, strcmp(kind_name(kind_of("")), "blank"));
  return failures == 0 ? 0 : 1;
}
"#,
    ),
];

/// Files of the project in Python.
pub(super) const LEDGER: &[(&str, &str)] = &[
    (".gitignore", "__pycache__\n"),
    ("ledger/__init__.py", "\"\"\"What was paid, and by whom.\"\"\"\n"),
    (
        "ledger/errors.py",
        r#""""What can be wrong with an entry."""


class LedgerError(ValueError):
    """An entry that cannot be read."""


class UnknownAccount(LedgerError):
    """An account that nobody opened."""
"#,
    ),
    (
        "ledger/entries.py",
        r#""""Entries and how they are written."""

import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation

from ledger.errors import LedgerError

PATTERN = re.compile(r"(\d{4})-(\d\d)-(\d\d) (\w+) (-?[\d.]+)(?: (.*))?$")


@dataclass(frozen=True)
class Entry:
    """One payment."""

    day: date
    account: str
    amount: Decimal
    note: str = ""

    def is_income(self):
        return self.amount > 0

    def describe(self):
        sign = "+" if self.is_income() else "-"
        text = f"{self.day.isoformat()} {self.account} {sign}{abs(self.amount)}"
        if self.note:
            text = f"{text} ({self.note})"
        return text


def parse_entry(line):
    """Reads `2024-01-31 rent -500.00 a note`."""
    match = PATTERN.match(line.strip())
    if match is None:
        raise LedgerError(f"not an entry: {line!r}")
    year, month, day, account, amount, note = match.groups()
    try:
        value = Decimal(amount)
    except InvalidOperation:
        raise LedgerError(f"not an amount: {amount!r}")
    return Entry(date(int(year), int(month), int(day)), account, value, note or "")
"#,
    ),
    (
        "ledger/book.py",
        r#""""All entries of all accounts."""

from collections import OrderedDict, defaultdict
from decimal import Decimal
from itertools import groupby

from ledger.entries import parse_entry
from ledger.errors import UnknownAccount


class Ledger:
    """Entries by day."""

    def __init__(self, accounts, entries=()):
        self.accounts = set(accounts)
        self.entries = []
        for entry in entries:
            self.add(entry)

    @classmethod
    def load(cls, accounts, text):
        lines = [line for line in text.splitlines() if line.strip()]
        return cls(accounts, (parse_entry(line) for line in lines))

    def add(self, entry):
        if entry.account not in self.accounts:
            raise UnknownAccount(entry.account)
        self.entries.append(entry)
        self.entries.sort(key=lambda one: one.day)

    def balance(self, account=None):
        amounts = [one.amount for one in self.entries if account in (None, one.account)]
        return sum(amounts, Decimal(0))

    def by_account(self):
        totals = defaultdict(Decimal)
        for entry in self.entries:
            totals[entry.account] += entry.amount
        return OrderedDict(sorted(totals.items()))

    def by_month(self):
        months = []
        for month, entries in groupby(self.entries, key=lambda one: (one.day.year, one.day.month)):
            months.append((month, sum(one.amount for one in entries)))
        return months

    def grade(self, account):
        total = self.balance(account)
        if total < 0:
            return "red"
        elif total == 0:
            return "even"
        elif total < 100:
            return "low"
        return "good"
"#,
    ),
    (
        "tests/test_ledger.py",
        r#"import unittest
from decimal import Decimal

from ledger.book import Ledger
from ledger.entries import parse_entry
from ledger.errors import LedgerError, UnknownAccount

TEXT = """
2024-02-01 rent -500.00 February
2024-01-31 wage 600.50
2024-01-02 food -20.25 bread
"""


class LedgerTest(unittest.TestCase):
    def setUp(self):
        self.ledger = Ledger.load(["rent", "wage", "food", "gift"], TEXT)

    def test_order(self):
        self.assertEqual([one.account for one in self.ledger.entries], ["food", "wage", "rent"])

    def test_balance(self):
        self.assertEqual(self.ledger.balance(), Decimal("80.25"))
        self.assertEqual(self.ledger.balance("rent"), Decimal("-500.00"))

    def test_accounts(self):
        self.assertEqual(list(self.ledger.by_account()), ["food", "rent", "wage"])
        self.assertEqual(self.ledger.by_account()["wage"], Decimal("600.50"))

    def test_months(self):
        self.assertEqual(self.ledger.by_month()[0], ((2024, 1), Decimal("580.25")))
        self.assertEqual(len(self.ledger.by_month()), 2)

    def test_grades(self):
        grades = [self.ledger.grade(one) for one in ("rent", "gift", "wage")]
        self.assertEqual(grades, ["red", "even", "good"])
        self.ledger.add(parse_entry("2024-03-01 gift 5"))
        self.assertEqual(self.ledger.grade("gift"), "low")

    def test_words(self):
        self.assertEqual(self.ledger.entries[0].describe(), "2024-01-02 food -20.25 (bread)")
        self.assertEqual(self.ledger.entries[1].describe(), "2024-01-31 wage +600.50")

    def test_refusals(self):
        with self.assertRaises(LedgerError):
            parse_entry("yesterday rent 5")
        with self.assertRaises(LedgerError):
            parse_entry("2024-01-01 rent 5.5.5")
        with self.assertRaises(UnknownAccount):
            self.ledger.add(parse_entry("2024-01-01 other 5"))


if __name__ == "__main__":
    unittest.main()
"#,
    ),
];
