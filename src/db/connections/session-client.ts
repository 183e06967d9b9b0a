import { Client, type ClientConfig } from 'pg'

/** Startup parameters, because Prisma, the driver and the migrations rely on them. Poolers accept all three. */
const SESSION = { TimeZone: 'UTC', DateStyle: 'ISO, MDY', standard_conforming_strings: 'on' } as const

/** Poolers refuse these as startup parameters, so each session, or each transaction behind one, sets them. */
const DEFAULTS: Readonly<Record<string, string>> = {
  extra_float_digits: '1',
  bytea_output: 'hex',
  IntervalStyle: 'postgres',
  array_nulls: 'on',
}
const assignments = (local: '' | 'local '): string =>
  Object.entries(DEFAULTS)
    .map(([name, value]) => `set ${local}${name} = '${value}'`)
    .join('; ')

export const SESSION_DEFAULTS = `set default_transaction_isolation = 'read committed'; ${assignments('')}`
export const TRANSACTION_DEFAULTS = assignments('local ')
export const TRANSACTION_ISOLATION = 'set transaction isolation level read committed'

/** Private in pg; its types omit it. */
interface Startup {
  getStartupConf(): Readonly<Record<string, string>>
}
const StartingClient = Client as unknown as new (config?: ClientConfig) => Client & Startup

export class SessionClient extends StartingClient {
  override getStartupConf(): Readonly<Record<string, string>> {
    return { ...super.getStartupConf(), ...SESSION }
  }
}
