import { accessSync, constants } from 'node:fs'
import { ServiceError } from '../errors/service-error.ts'
import { errorCode } from '../values/data-directory.ts'
import type { Log } from '../values/log.ts'

/** With what libpq does; `no-verify` is the driver's own word for an encryption that verifies nothing. */
const MODES = ['disable', 'allow', 'prefer', 'require', 'no-verify', 'verify-ca', 'verify-full'] as const
/** libpq's word for the authorities that the system trusts: the driver's default. */
const SYSTEM = 'system'

/** The modes of which libpq tries both ways, one after the other. */
const BOTH_WAYS: Readonly<Record<string, readonly string[]>> = {
  allow: ['disable', 'require'],
  prefer: ['require', 'disable'],
}

/**
 * A PostgreSQL URL as the driver has to read it to connect as libpq does: with `sslmode=require` encrypted, and unverified unless
 * `sslrootcert` names an authority to trust. Logs a warning where the server is not verified.
 * @returns the ways to that server in the order in which they are to be tried: two with `sslmode=prefer` and `sslmode=allow`
 * @throws ServiceError INVALID_REQUEST, one sentence on what is wrong with its parameters
 */
export function postgresUrls(databaseUrl: string, log: Pick<Log, 'warn'>): string[] {
  const url = new URL(databaseUrl)
  const mode = url.searchParams.get('sslmode')
  if (mode === null || url.searchParams.has('uselibpqcompat')) return [databaseUrl]
  const authorities = url.searchParams.get('sslrootcert')
  check(mode, authorities)
  if (authorities === SYSTEM) url.searchParams.delete('sslrootcert')
  const ways = BOTH_WAYS[mode]
  if (ways !== undefined) warn(log, url, mode, 'may not be encrypted, and its server is not verified')
  else if (mode === 'no-verify' || (authorities === null && mode === 'require')) {
    warn(log, url, mode, 'is encrypted, but its server is not verified')
  }
  if (mode !== 'no-verify') url.searchParams.set('uselibpqcompat', 'true')
  return (ways ?? [mode]).map((way) => {
    url.searchParams.set('sslmode', way)
    return url.href
  })
}

function warn(log: Pick<Log, 'warn'>, { host: database }: URL, sslmode: string, what: string): void {
  const advice = 'set sslmode=verify-full, and sslrootcert=FILE for an authority of your own'
  log.warn({ database, sslmode }, `the connection to the database ${what}: ${advice}`)
}

function check(mode: string, authorities: string | null): void {
  if (!(MODES as readonly string[]).includes(mode)) throw violation(`sslmode must be one of ${MODES.join(', ')}`)
  if (authorities === SYSTEM && mode !== 'verify-full') throw violation('sslrootcert=system takes sslmode=verify-full')
  if (mode === 'verify-ca' && authorities === null) {
    throw violation('sslmode=verify-ca takes sslrootcert=FILE, the authority to trust')
  }
  if (authorities === null || authorities === SYSTEM) return
  try {
    accessSync(authorities, constants.R_OK)
  } catch (error) {
    throw violation(`sslrootcert names a file that cannot be read: ${authorities} (${errorCode(error)})`)
  }
}

const violation = (what: string): ServiceError => new ServiceError('INVALID_REQUEST', `Check DATABASE_URL: ${what}.`)
