import { accessSync, constants } from 'node:fs'
import { ServiceError } from '../../errors/service-error.ts'
import { errorCode } from '../../values/data-directory.ts'
import type { Log } from '../../values/log.ts'

/** With what libpq does; `no-verify` is the driver's own word for an encryption that verifies nothing. */
const MODES = ['disable', 'prefer', 'require', 'no-verify', 'verify-ca', 'verify-full'] as const
/** libpq's word for the authorities that the system trusts: the driver's default. */
const SYSTEM = 'system'

/**
 * A PostgreSQL URL as the driver has to read it to connect as libpq does: with `sslmode=require` encrypted, and unverified unless
 * `sslrootcert` names an authority to trust. Logs a warning where the server is not verified. What `prefer` means with this server is
 * found out before (`withOfferedTls`).
 * @throws ServiceError INVALID_REQUEST, one sentence on what is wrong with its parameters
 */
export function postgresUrl(databaseUrl: string, log: Pick<Log, 'warn'>): string {
  const url = new URL(databaseUrl)
  const mode = url.searchParams.get('sslmode')
  if (mode === null || url.searchParams.has('uselibpqcompat')) return databaseUrl
  const authorities = url.searchParams.get('sslrootcert')
  check(mode, authorities)
  if (authorities === SYSTEM) url.searchParams.delete('sslrootcert')
  if (mode === 'no-verify' || (authorities === null && mode === 'require')) {
    log.warn(
      { server: url.host, sslmode: mode },
      'the connection to the database is encrypted, but its server is not verified: set sslmode=verify-full, and sslrootcert=FILE for an authority of your own',
    )
  }
  if (mode !== 'no-verify') url.searchParams.set('uselibpqcompat', 'true')
  return url.href
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
