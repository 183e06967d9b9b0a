import { Client, type ClientConfig } from 'pg'

/**
 * What a session is asked to be from its first message on, whatever a server, a database or a role has as its default: Prisma reads and
 * writes times without their zone, the driver reads no dates but these, and migrations hold backslashes. Poolers know all three.
 */
const SESSION = { TimeZone: 'UTC', DateStyle: 'ISO, MDY', standard_conforming_strings: 'on' } as const

/**
 * The same for what poolers refuse in a first message: a role's own default may be another. Isolation, since single statements and `begin`
 * are written for `read committed`; the others change how numbers, bytes and lists are read.
 */
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

/** The first statement of each session. */
export const SESSION_DEFAULTS = `set default_transaction_isolation = 'read committed'; ${assignments('')}`
/** The first statements of each transaction behind a pooler in transaction mode. */
export const TRANSACTION_DEFAULTS = assignments('local ')
export const TRANSACTION_ISOLATION = 'set transaction isolation level read committed'

/** The driver has it for its subclasses; its types do not name it. */
interface Startup {
  getStartupConf(): Readonly<Record<string, string>>
}
const StartingClient = Client as unknown as new (config?: ClientConfig) => Client & Startup

/** A connection on which times and texts mean the same with every server. */
export class SessionClient extends StartingClient {
  override getStartupConf(): Readonly<Record<string, string>> {
    return { ...super.getStartupConf(), ...SESSION }
  }
}
