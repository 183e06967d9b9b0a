import { accessSync, constants } from 'node:fs'
import { createConnection } from 'node:net'
import { ServiceError } from '../../errors/service-error.ts'
import { errorCode } from '../../values/data-directory.ts'
import type { Log } from '../../values/log.ts'

const MODES = ['disable', 'allow', 'prefer', 'require', 'no-verify', 'verify-ca', 'verify-full'] as const
const SYSTEM = 'system'
const UNVERIFIED: ReadonlySet<string> = new Set(['disable', 'no-verify'])
const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s
const SESSION_ATTRIBUTES: ReadonlySet<string> = new Set(['any', 'read-write', 'primary'])
const ANSWER_MS = 10_000
const DEFAULT_PORT = 5432
/** SSLRequest of PostgreSQL's protocol: length and request code. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const YES = 'S'

const EITHER: ReadonlySet<string | null> = new Set(['allow', 'prefer'])
const warned = new WeakMap<Log, Set<string>>()

export type UrlVariable = 'DATABASE_URL' | 'DIRECT_DATABASE_URL' | 'READ_DATABASE_URL'

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

/** True if PGSSLMODE=verify-ca lacks an authority; the driver then verifies the host too, since public authorities certify any host. */
function lacksAuthorities(databaseUrl: string, { pgSslMode, pgSslRootCert }: SslDefaults): boolean {
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

/**
 * Splits a URL with several hosts, as libpq writes them, into one URL for each.
 * @throws RangeError if it is invalid
 */
export function serverUrls(text: string): string[] {
  const bare = bareSign(text)
  if (bare !== null) {
    const encoded = bare === '%' ? '%25' : encodeURIComponent(bare)
    throw new RangeError(`must have each ${bare} of its user name and password percent-encoded, as ${encoded}`)
  }
  const [, start = '', hosts = '', rest = ''] = AUTHORITY.exec(text) ?? []
  // libpq allows no host after a user name if `host` names a socket directory; URL does not.
  const named = hosts === '' && start.endsWith('@') ? ['localhost'] : hosts.split(',')
  const urls = named.map((host) => start + host + rest)
  if (start === '' || !urls.every((url) => URL.canParse(url)) || (urls.length > 1 && hosts.split(',').includes('')))
    throw new RangeError('must be a URL that starts with postgres:// or postgresql://')
  return urls.map(withoutAttributes)
}

/** Finds an unencoded character in the credentials that breaks the URL; null: none. */
function bareSign(text: string): string | null {
  const [, authority = '', rest = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/s.exec(text) ?? []
  const at = authority.lastIndexOf('@')
  const credentials = at === -1 ? '' : authority.slice(0, at)
  if (credentials.includes('@')) return '@'
  if (/%(?![0-9a-f]{2})/i.test(credentials)) return '%'
  if (rest.includes('#')) return '#'
  if (at !== -1 || !rest.includes('@')) return null
  const [path = ''] = rest.split('?')
  const isPassword = /:(?!\d*$)/.test(authority) && !authority.startsWith('[') && !authority.includes(',')
  const sign = rest[0] ?? ''
  if (isPassword) return sign
  if (sign === '/' && authority.includes(':') && path.includes('@')) return sign
  return sign === '?' && /^\?[^=&]*@/.test(rest) ? sign : null
}

function withoutAttributes(text: string): string {
  const url = new URL(text)
  const attributes = url.searchParams.get('target_session_attrs')
  if (attributes === null) return text
  if (!SESSION_ATTRIBUTES.has(attributes))
    throw new RangeError(`must have one of ${[...SESSION_ATTRIBUTES].join(', ')} as its target_session_attrs`)
  url.searchParams.delete('target_session_attrs')
  return url.href
}

/**
 * Replaces `sslmode=prefer` or `allow` by `require` if the server offers TLS, else `disable`. Without an answer it is `require`, so
 * no failure leads to plain text.
 */
export async function withOfferedTls(databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl)
  if (!EITHER.has(url.searchParams.get('sslmode'))) return databaseUrl
  url.searchParams.set('sslmode', (await offersTls(url)) ? 'require' : 'disable')
  return url.href
}

const isBySocket = (url: URL): boolean => hostOf(url).startsWith('/')

const hostOf = ({ hostname, searchParams }: URL): string => searchParams.get('host') ?? decodeURIComponent(hostname)

function offersTls(url: URL): Promise<boolean> {
  if (isBySocket(url)) return Promise.resolve(false)
  const host = hostOf(url).replace(/^\[|\]$/g, '')
  const socket = createConnection({ host, port: Number(url.port) || DEFAULT_PORT })
  socket.setTimeout(ANSWER_MS, () => socket.destroy())
  socket.on('connect', () => socket.write(SSL_REQUEST))
  return new Promise<boolean>((resolve) => {
    socket.once('data', (answer) => resolve(answer.toString('latin1', 0, 1) === YES))
    socket.on('error', () => resolve(true))
    socket.on('close', () => resolve(true))
  }).finally(() => socket.destroy())
}

export function warnOfAuthorities(urls: readonly string[], defaults: SslDefaults, log: Log): void {
  const weak = urls.filter((url) => lacksAuthorities(url, defaults))
  warnOnce(
    log,
    weak,
    'PGSSLMODE=verify-ca takes PGSSLROOTCERT=FILE, the authority to trust: without it servers of the database are verified as by verify-full, by the authorities that Node.js trusts',
  )
}

export function warnOfUnverified(urls: readonly DriverUrl[], log: Log): void {
  const unverified = urls.filter(({ isUnverified }) => isUnverified).map(({ url }) => url)
  warnOnce(
    log,
    unverified,
    'connections to the database are encrypted, but its server is not verified: set sslmode=verify-full (or PGSSLMODE), and sslrootcert=FILE (or PGSSLROOTCERT) for an authority of your own',
  )
}

function warnOnce(log: Log, urls: readonly string[], message: string): void {
  const servers = [...new Set(urls.map((url) => new URL(url).host))]
  const said = warned.get(log) ?? new Set<string>()
  const saying = JSON.stringify([servers, message])
  if (servers.length === 0 || said.has(saying)) return
  warned.set(log, said.add(saying))
  log.warn({ servers }, message)
}
