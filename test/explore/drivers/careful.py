"""A point of sale that keeps to docs/recover-a-payment.md."""

from till import Sale, main

main(Sale)
