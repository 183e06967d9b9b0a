import { accessSync, constants } from 'node:fs'
import { ServiceError } from '../../errors/service-error.ts'
import { errorCode } from '../../values/data-directory.ts'
import { isBySocket } from './offered-tls.ts'

/** With what libpq does; `no-verify` is the driver's own word for an encryption that verifies nothing. */
const MODES = ['disable', 'allow', 'prefer', 'require', 'no-verify', 'verify-ca', 'verify-full'] as const
/** libpq's word for the authorities that the system trusts: the driver's default. */
const SYSTEM = 'system'
/** Modes that verify nothing, whatever the authorities. */
const UNVERIFIED: ReadonlySet<string> = new Set(['disable', 'no-verify'])

/** The variable that a URL comes from. */
export type UrlVariable = 'DATABASE_URL' | 'DIRECT_DATABASE_URL'

/** A URL as the driver reads it. */
export interface DriverUrl {
  readonly url: string
  /** The connection is encrypted, and its server is not verified. */
  readonly isUnverified: boolean
}

/** What the environment says of the encryption of a URL that does not say it itself; null: nothing. */
export interface SslDefaults {
  /** PGSSLMODE, for URLs without an `sslmode`. */
  readonly pgSslMode: string | null
  /** PGSSLROOTCERT, for URLs without an `sslrootcert`. */
  readonly pgSslRootCert: string | null
}

/**
 * A PostgreSQL URL with PGSSLMODE as its `sslmode` and PGSSLROOTCERT as its `sslrootcert` where it has none, as libpq reads it: `system` alone
 * means `verify-full`. The driver would verify the server by every mode but `no-verify`. Authorities without a mode encrypt nothing.
 * @throws ServiceError INVALID_REQUEST for a mode that there is not, and for authorities that cannot be read or do not go with the mode
 */
export function withSslDefaults(databaseUrl: string, defaults: SslDefaults): string {
  const url = new URL(databaseUrl)
  const { searchParams } = url
  if (searchParams.has('ssl')) return databaseUrl
  const { pgSslMode, pgSslRootCert } = defaults
  const authorities = searchParams.get('sslrootcert') ?? pgSslRootCert
  const mode = searchParams.get('sslmode') ?? pgSslMode ?? (authorities === SYSTEM ? 'verify-full' : null)
  if (mode === null) return databaseUrl
  if (!searchParams.has('sslmode') && !isMode(mode)) {
    throw violation('PGSSLMODE', `it must be one of ${MODES.join(', ')}`)
  }
  searchParams.set('sslmode', lacksAuthorities(databaseUrl, defaults) ? 'verify-full' : mode)
  if (authorities === null || searchParams.has('sslrootcert') || UNVERIFIED.has(mode) || isBySocket(url))
    return url.href
  const wrong = wrongAuthorities(mode, authorities)
  if (wrong !== null) throw violation('PGSSLROOTCERT', `PGSSLROOTCERT${wrong}`)
  searchParams.set('sslrootcert', authorities)
  return url.href
}

/**
 * Whether PGSSLMODE=verify-ca has no authority to go by. Any host with a certificate of a public one would do: such a server is
 * verified as by `verify-full`, by the authorities that Node trusts.
 */
export function lacksAuthorities(databaseUrl: string, { pgSslMode, pgSslRootCert }: SslDefaults): boolean {
  const url = new URL(databaseUrl)
  const isSaid = ['ssl', 'sslmode', 'sslrootcert'].some((name) => url.searchParams.has(name))
  return pgSslMode === 'verify-ca' && pgSslRootCert === null && !isSaid && !isBySocket(url)
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
    url.searchParams.delete('sslrootcert')
    return { url: url.href, isUnverified: false }
  }
  if (authorities === SYSTEM) url.searchParams.delete('sslrootcert')
  if (mode !== 'no-verify') url.searchParams.set('uselibpqcompat', 'true')
  return { url: url.href, isUnverified: mode === 'no-verify' || (authorities === null && mode === 'require') }
}

function wrongIn(mode: string, authorities: string | null): string | null {
  if (!isMode(mode)) return `sslmode must be one of ${MODES.join(', ')}`
  if (mode === 'verify-ca' && authorities === null)
    return 'sslmode=verify-ca takes sslrootcert=FILE, the authority to trust'
  const wrong = authorities === null ? null : wrongAuthorities(mode, authorities)
  return wrong === null ? null : `sslrootcert${wrong}`
}

/** What follows their name in a sentence about them. */
function wrongAuthorities(mode: string, authorities: string): string | null {
  if (authorities === SYSTEM) return mode === 'verify-full' ? null : '=system takes sslmode=verify-full'
  try {
    accessSync(authorities, constants.R_OK)
    return null
  } catch (error) {
    return ` names a file that cannot be read: ${authorities} (${errorCode(error)})`
  }
}

const isMode = (mode: string): boolean => (MODES as readonly string[]).includes(mode)

const violation = (variable: UrlVariable | 'PGSSLMODE' | 'PGSSLROOTCERT', what: string): ServiceError =>
  new ServiceError('INVALID_REQUEST', `Check ${variable}: ${what}.`)
