import type { Log } from '../../values/log.ts'
import { type DriverUrl, lacksAuthorities, type SslDefaults } from './postgres-url.ts'

const warned = new WeakMap<Log, Set<string>>()

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
