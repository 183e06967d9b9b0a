import { isIPv6 } from 'node:net'

const CREDENTIALS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]', '[::ffff:0:0]', '*'])

const LOOPBACK = '127.0.0.1'
/** A name may resolve to either address, so these count as one. */
const LOOPBACKS: ReadonlySet<string> = new Set(['localhost', LOOPBACK, '[::1]'])
export const DEFAULT_PORT = 4000

function asInUrls(host: string): string {
  const url = `http://${isIPv6(host) ? `[${host}]` : host}`
  return URL.canParse(url) ? new URL(url).hostname : host
}

const isEveryAddress = (host: string): boolean => EVERY_ADDRESS.has(asInUrls(host))

function overlap(one: string, other: string): boolean {
  const hosts = [one, other].map(asInUrls)
  return hosts[0] === hosts[1] || hosts.every((host) => LOOPBACKS.has(host)) || hosts.some(isEveryAddress)
}

type Given = Readonly<Record<string, string | undefined>>

export function violationsBetween(given: Given): string[] {
  const { STORAGE_URL, PUBLIC_URL, HOST = LOOPBACK, DATABASE_URL, DIRECT_DATABASE_URL } = given
  const { PORT = String(DEFAULT_PORT), METRICS_PORT, METRICS_HOST = LOOPBACK } = given
  const missing = CREDENTIALS.filter((name) => STORAGE_URL !== undefined && given[name] === undefined)
  return [
    ...missing.map((name) => `${name} is needed for STORAGE_URL`),
    ...(PUBLIC_URL === undefined && isEveryAddress(HOST)
      ? [`PUBLIC_URL is needed where HOST is ${HOST}: no client can open such an address`]
      : []),
    ...(Number(PORT) !== 0 && Number(METRICS_PORT) === Number(PORT) && overlap(HOST, METRICS_HOST)
      ? ['METRICS_PORT must be another one than PORT']
      : []),
    ...(DIRECT_DATABASE_URL !== undefined && DATABASE_URL === undefined
      ? ['DIRECT_DATABASE_URL goes with a DATABASE_URL that leads through a pooler']
      : []),
  ]
}
