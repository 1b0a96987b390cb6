/** Which half of the service something belongs to; nothing crosses between them (B6). */
export type Environment = 'sandbox' | 'production';

/** Every row that belongs to somebody says to whom. */
export interface Owned {
  account_id: string;
  environment: Environment;
}
