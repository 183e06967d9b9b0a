import { Client, type ClientConfig } from 'pg'

/**
 * What a session is asked to be from its first message on, whatever a server, a database or a role has as its default: Prisma reads and
 * writes times without their zone, the driver reads no dates but these, and migrations hold backslashes. Poolers know all three.
 */
const SESSION = { TimeZone: 'UTC', DateStyle: 'ISO, MDY', standard_conforming_strings: 'on' } as const

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
