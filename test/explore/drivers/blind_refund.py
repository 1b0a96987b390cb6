"""Planted bug: a refund that was not answered is made again, without a look."""

from till import Refund, main


class BlindRefund(Refund):
    def refund_unknown(self, debit):
        return self.send_refund(debit)[0] == 201


main(Refund, BlindRefund)
