import type { Language } from '../../shared/emulator/screen.ts';
import type { ErrorCondition } from '../../shared/nexo/enums.ts';

/** The error conditions that have a text for the shopper. For any other condition the screen's title says enough. */
type ShownReason = Exclude<
  ErrorCondition,
  'Cancel' | 'Refusal' | 'InProgress' | 'LoggedOut' | 'MessageFormat' | 'NotFound' | 'UnavailableDevice'
>;

/**
 * Texts that say why a payment failed, for each condition in every language. They are shown to the shopper if no more
 * detailed cause is known.
 */
export const conditionTexts: Record<ShownReason, Record<Language, string>> = {
  Aborted: {
    en: 'Stopped by the cashier',
    fr: 'Arrêté par le commerçant',
    de: 'Von der Kasse abgebrochen',
    es: 'Detenido por el comercio',
    it: "Interrotto dall'esercente",
    nl: 'Gestopt door de winkel',
  },
  Busy: {
    en: 'The terminal is busy',
    fr: 'Le terminal est occupé',
    de: 'Das Terminal ist beschäftigt',
    es: 'El terminal está ocupado',
    it: 'Il terminale è occupato',
    nl: 'De terminal is bezet',
  },
  DeviceOut: {
    en: 'The terminal was out of service',
    fr: 'Terminal hors service',
    de: 'Terminal war außer Betrieb',
    es: 'Terminal fuera de servicio',
    it: 'Terminale fuori servizio',
    nl: 'Terminal was buiten werking',
  },
  InsertedCard: {
    en: 'A card is still in the slot',
    fr: 'Une carte est encore insérée',
    de: 'Es steckt noch eine Karte',
    es: 'Aún hay una tarjeta insertada',
    it: 'Una carta è ancora inserita',
    nl: 'Er zit nog een kaart in',
  },
  InvalidCard: {
    en: 'This card is not valid',
    fr: "Cette carte n'est pas valide",
    de: 'Diese Karte ist ungültig',
    es: 'Esta tarjeta no es válida',
    it: 'Questa carta non è valida',
    nl: 'Deze kaart is niet geldig',
  },
  NotAllowed: {
    en: 'Not allowed',
    fr: 'Opération interdite',
    de: 'Nicht erlaubt',
    es: 'Operación no permitida',
    it: 'Operazione non consentita',
    nl: 'Niet toegestaan',
  },
  PaymentRestriction: {
    en: 'This brand is not accepted here',
    fr: "Cette carte n'est pas acceptée ici",
    de: 'Diese Karte wird hier nicht angenommen',
    es: 'Esta tarjeta no se acepta aquí',
    it: 'Questa carta non è accettata qui',
    nl: 'Deze kaart wordt hier niet geaccepteerd',
  },
  UnavailableService: {
    en: 'Service not available',
    fr: 'Service indisponible',
    de: 'Dienst nicht verfügbar',
    es: 'Servicio no disponible',
    it: 'Servizio non disponibile',
    nl: 'Dienst niet beschikbaar',
  },
  UnreachableHost: {
    en: 'No answer from the bank',
    fr: 'Pas de réponse de la banque',
    de: 'Keine Antwort der Bank',
    es: 'Sin respuesta del banco',
    it: 'Nessuna risposta dalla banca',
    nl: 'Geen antwoord van de bank',
  },
  WrongPIN: {
    en: 'Wrong PIN, card blocked',
    fr: 'Code erroné, carte bloquée',
    de: 'PIN falsch, Karte gesperrt',
    es: 'PIN incorrecto, tarjeta bloqueada',
    it: 'PIN errato, carta bloccata',
    nl: 'Pincode onjuist, kaart geblokkeerd',
  },
};
