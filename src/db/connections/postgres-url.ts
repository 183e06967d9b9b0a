import { accessSync, constants } from 'node:fs'
import { ServiceError } from '../../errors/service-error.ts'
import { errorCode } from '../../values/data-directory.ts'
import { isBySocket } from './offered-tls.ts'

/** With what libpq does; `no-verify` is the driver's own word for an encryption that verifies nothing. */
const MODES = ['disable', 'allow', 'prefer', 'require', 'no-verify', 'verify-ca', 'verify-full'] as const
/** libpq's word for the authorities that the system trusts: the driver's default. */
const SYSTEM = 'system'

/** The variable that a URL comes from. */
export type UrlVariable = 'DATABASE_URL' | 'DIRECT_DATABASE_URL'

/** A URL as the driver reads it. */
export interface DriverUrl {
  readonly url: string
  /** The connection is encrypted, and its server is not verified. */
  readonly isUnverified: boolean
}

/**
 * A PostgreSQL URL with PGSSLMODE as its `sslmode` where it says nothing of encryption, as libpq reads it. The driver would verify the
 * server by every mode but `no-verify`.
 * @throws ServiceError INVALID_REQUEST for a mode that there is not
 */
export function withSslMode(databaseUrl: string, pgSslMode: string | null): string {
  const url = new URL(databaseUrl)
  if (pgSslMode === null || url.searchParams.has('sslmode') || url.searchParams.has('ssl')) return databaseUrl
  if (!isMode(pgSslMode)) throw violation('PGSSLMODE', `it must be one of ${MODES.join(', ')}`)
  url.searchParams.set('sslmode', pgSslMode)
  return url.href
}

/**
 * A PostgreSQL URL as the driver has to read it to connect as libpq does: with `sslmode=require` encrypted, and unverified unless
 * `sslrootcert` names an authority to trust; never over a Unix socket. What `allow` and `prefer` mean with this server is found out before (`withOfferedTls`).
 * @throws ServiceError INVALID_REQUEST, one sentence on what is wrong with its parameters
 */
export function postgresUrl(databaseUrl: string, variable: UrlVariable): DriverUrl {
  const url = new URL(databaseUrl)
  const mode = url.searchParams.get('sslmode')
  if (mode === null || url.searchParams.has('uselibpqcompat')) return { url: databaseUrl, isUnverified: false }
  const authorities = url.searchParams.get('sslrootcert')
  const wrong = wrongIn(mode, authorities)
  if (wrong !== null) throw violation(variable, wrong)
  if (isBySocket(url)) {
    url.searchParams.set('sslmode', 'disable')
    return { url: url.href, isUnverified: false }
  }
  if (authorities === SYSTEM) url.searchParams.delete('sslrootcert')
  if (mode !== 'no-verify') url.searchParams.set('uselibpqcompat', 'true')
  return { url: url.href, isUnverified: mode === 'no-verify' || (authorities === null && mode === 'require') }
}

function wrongIn(mode: string, authorities: string | null): string | null {
  if (!isMode(mode)) return `sslmode must be one of ${MODES.join(', ')}`
  if (authorities === SYSTEM && mode !== 'verify-full') return 'sslrootcert=system takes sslmode=verify-full'
  if (mode === 'verify-ca' && authorities === null)
    return 'sslmode=verify-ca takes sslrootcert=FILE, the authority to trust'
  if (authorities === null || authorities === SYSTEM) return null
  try {
    accessSync(authorities, constants.R_OK)
    return null
  } catch (error) {
    return `sslrootcert names a file that cannot be read: ${authorities} (${errorCode(error)})`
  }
}

const isMode = (mode: string): boolean => (MODES as readonly string[]).includes(mode)

const violation = (variable: UrlVariable | 'PGSSLMODE', what: string): ServiceError =>
  new ServiceError('INVALID_REQUEST', `Check ${variable}: ${what}.`)
