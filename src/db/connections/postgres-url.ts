import { accessSync, constants } from 'node:fs'
import { ServiceError } from '../../errors/service-error.ts'
import { errorCode } from '../../values/data-directory.ts'
import { isBySocket } from './offered-tls.ts'

const MODES = ['disable', 'allow', 'prefer', 'require', 'no-verify', 'verify-ca', 'verify-full'] as const
const SYSTEM = 'system'
const UNVERIFIED: ReadonlySet<string> = new Set(['disable', 'no-verify'])

export type UrlVariable = 'DATABASE_URL' | 'DIRECT_DATABASE_URL'

export interface DriverUrl {
  readonly url: string
  readonly isUnverified: boolean
}

export interface SslDefaults {
  readonly pgSslMode: string | null
  readonly pgSslRootCert: string | null
}

/**
 * Adds PGSSLMODE and PGSSLROOTCERT as libpq does. The driver alone would verify the server in every mode but `no-verify`.
 * @throws ServiceError INVALID_REQUEST for an unknown mode and for unreadable or unsuitable authorities
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

/** Whether PGSSLMODE=verify-ca lacks an authority; the driver then verifies the host too, since public authorities certify any host. */
export function lacksAuthorities(databaseUrl: string, { pgSslMode, pgSslRootCert }: SslDefaults): boolean {
  const url = new URL(databaseUrl)
  const isSaid = ['ssl', 'sslmode', 'sslrootcert'].some((name) => url.searchParams.has(name))
  return pgSslMode === 'verify-ca' && pgSslRootCert === null && !isSaid && !isBySocket(url)
}

/**
 * Adapts a URL so that the driver connects as libpq does.
 * @throws ServiceError INVALID_REQUEST if its parameters are wrong
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
