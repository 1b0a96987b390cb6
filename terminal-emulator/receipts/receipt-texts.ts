import type { Language } from '../../shared/emulator/screen.ts';

/** The words of a receipt in one language; a name and its value share 32 columns. */
export interface ReceiptTexts {
  merchantCopy: string;
  cardholderCopy: string;
  date: string;
  time: string;
  card: string;
  panSequence: string;
  preferredName: string;
  cardType: string;
  paymentMethod: string;
  paymentVariant: string;
  entryMode: string;
  contactlessChip: string;
  magneticStripe: string;
  authCode: string;
  tender: string;
  reference: string;
  type: string;
  amount: string;
  tip: string;
  total: string;
  approved: string;
  refunded: string;
  /** Of a reversal. */
  void: string;
  signature: string;
  retain: string;
  thanks: string;
}

export const receiptTexts: Record<Language, ReceiptTexts> = {
  en: {
    merchantCopy: 'MERCHANT COPY',
    cardholderCopy: 'CARDHOLDER COPY',
    date: 'Date',
    time: 'Time',
    card: 'Card',
    panSequence: 'PAN seq.',
    preferredName: 'Pref. name',
    cardType: 'Card type',
    paymentMethod: 'Payment method',
    paymentVariant: 'Payment variant',
    entryMode: 'Entry mode',
    contactlessChip: 'Contactless chip',
    magneticStripe: 'Magnetic stripe',
    authCode: 'Auth. code',
    tender: 'Tender',
    reference: 'Reference',
    type: 'Type',
    amount: 'Amount',
    tip: 'Tip',
    total: 'TOTAL',
    approved: 'APPROVED',
    refunded: 'REFUND APPROVED',
    void: '*VOID REQUESTED*',
    signature: 'Cardholder signature',
    retain: 'Please retain for your records',
    thanks: 'Thank you',
  },
  fr: {
    merchantCopy: 'TICKET COMMERÇANT',
    cardholderCopy: 'TICKET CLIENT',
    date: 'Date',
    time: 'Heure',
    card: 'Carte',
    panSequence: 'N° séq. PAN',
    preferredName: 'Nom préféré',
    cardType: 'Type de carte',
    paymentMethod: 'Moyen',
    paymentVariant: 'Variante',
    entryMode: 'Lecture',
    contactlessChip: 'Puce sans contact',
    magneticStripe: 'Piste magnétique',
    authCode: 'Code autor.',
    tender: 'Transaction',
    reference: 'Référence',
    type: 'Type',
    amount: 'Montant',
    tip: 'Pourboire',
    total: 'TOTAL',
    approved: 'PAIEMENT ACCEPTÉ',
    refunded: 'REMBOURSEMENT ACCEPTÉ',
    void: '*ANNULATION DEMANDÉE*',
    signature: 'Signature du porteur',
    retain: 'Ticket à conserver',
    thanks: 'Merci',
  },
  de: {
    merchantCopy: 'HÄNDLERBELEG',
    cardholderCopy: 'KUNDENBELEG',
    date: 'Datum',
    time: 'Uhrzeit',
    card: 'Karte',
    panSequence: 'Kartenfolgenr.',
    preferredName: 'Bezeichnung',
    cardType: 'Kartenart',
    paymentMethod: 'Zahlungsart',
    paymentVariant: 'Variante',
    entryMode: 'Erfassung',
    contactlessChip: 'Chip kontaktlos',
    magneticStripe: 'Magnetstreifen',
    authCode: 'Genehmigungsnr.',
    tender: 'Vorgang',
    reference: 'Referenz',
    type: 'Typ',
    amount: 'Betrag',
    tip: 'Trinkgeld',
    total: 'GESAMT',
    approved: 'ZAHLUNG ERFOLGT',
    refunded: 'GUTSCHRIFT ERFOLGT',
    void: '*STORNO BEAUFTRAGT*',
    signature: 'Unterschrift Karteninhaber',
    retain: 'Bitte Beleg aufbewahren',
    thanks: 'Vielen Dank',
  },
  es: {
    merchantCopy: 'COPIA COMERCIO',
    cardholderCopy: 'COPIA CLIENTE',
    date: 'Fecha',
    time: 'Hora',
    card: 'Tarjeta',
    panSequence: 'Sec. PAN',
    preferredName: 'Nombre',
    cardType: 'Tipo de tarjeta',
    paymentMethod: 'Medio de pago',
    paymentVariant: 'Variante',
    entryMode: 'Lectura',
    contactlessChip: 'Chip sin contacto',
    magneticStripe: 'Banda magnética',
    authCode: 'Cód. autor.',
    tender: 'Operación',
    reference: 'Referencia',
    type: 'Tipo',
    amount: 'Importe',
    tip: 'Propina',
    total: 'TOTAL',
    approved: 'PAGO ACEPTADO',
    refunded: 'DEVOLUCIÓN ACEPTADA',
    void: '*ANULACIÓN SOLICITADA*',
    signature: 'Firma del titular',
    retain: 'Conserve este recibo',
    thanks: 'Gracias',
  },
  it: {
    merchantCopy: 'COPIA ESERCENTE',
    cardholderCopy: 'COPIA CLIENTE',
    date: 'Data',
    time: 'Ora',
    card: 'Carta',
    panSequence: 'Seq. PAN',
    preferredName: 'Nome',
    cardType: 'Tipo di carta',
    paymentMethod: 'Metodo',
    paymentVariant: 'Variante',
    entryMode: 'Lettura',
    contactlessChip: 'Chip contactless',
    magneticStripe: 'Banda magnetica',
    authCode: 'Cod. autor.',
    tender: 'Transazione',
    reference: 'Riferimento',
    type: 'Tipo',
    amount: 'Importo',
    tip: 'Mancia',
    total: 'TOTALE',
    approved: 'PAGAMENTO ESEGUITO',
    refunded: 'RIMBORSO ESEGUITO',
    void: '*STORNO RICHIESTO*',
    signature: 'Firma del titolare',
    retain: 'Conservare la ricevuta',
    thanks: 'Grazie',
  },
  nl: {
    merchantCopy: 'KOPIE WINKELIER',
    cardholderCopy: 'KOPIE KAARTHOUDER',
    date: 'Datum',
    time: 'Tijd',
    card: 'Kaart',
    panSequence: 'Kaartvolgnr.',
    preferredName: 'Naam',
    cardType: 'Kaartsoort',
    paymentMethod: 'Betaalmethode',
    paymentVariant: 'Variant',
    entryMode: 'Invoer',
    contactlessChip: 'Contactloze chip',
    magneticStripe: 'Magneetstrip',
    authCode: 'Autorisatiecode',
    tender: 'Transactie',
    reference: 'Referentie',
    type: 'Type',
    amount: 'Bedrag',
    tip: 'Fooi',
    total: 'TOTAAL',
    approved: 'AKKOORD',
    refunded: 'TERUGBETALING AKKOORD',
    void: '*ANNULERING AANGEVRAAGD*',
    signature: 'Handtekening kaarthouder',
    retain: 'Bewaar deze bon',
    thanks: 'Dank u wel',
  },
};
