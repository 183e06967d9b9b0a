import { isDatabaseDown } from '../errors/database-down.ts'
import { ServiceError } from '../errors/service-error.ts'
import { errorCode } from '../values/data-directory.ts'

/** SQLSTATEs of a server that answers and admits no client: wrong user or password (class 28), no such database. */
const NOT_LET_IN = /^(28[0-9A-Z]{3}|3D000)$/
/** What node calls a certificate that it does not trust. */
const UNTRUSTED = /^(ERR_TLS_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_|ERR_SSL_)/
/** The driver's own errors carry no code. */
const DRIVER_MESSAGES: ReadonlySet<string> = new Set([
  'The server does not support SSL connections',
  'Query read timeout',
])

/** What keeps a process from using the database of DATABASE_URL at all, in words that an operator can act on; any other error as it is. */
export function explainUnusable(error: unknown, url: string, variable = 'DATABASE_URL'): unknown {
  if (!isDatabaseDown(error) && !isRefused(error)) return error
  const { host, pathname } = new URL(url)
  const message = `Check ${variable}: the database ${host}${pathname} cannot be used (${reasonOf(error)}).`
  return new ServiceError('UNAVAILABLE', message, { cause: error })
}

function isRefused(error: unknown): boolean {
  const code = errorCode(error) ?? ''
  return NOT_LET_IN.test(code) || UNTRUSTED.test(code) || (error instanceof Error && DRIVER_MESSAGES.has(error.message))
}

/** Where a name has several addresses, node reports what was wrong with each, and nothing of the whole. */
function reasonOf(error: unknown): string {
  const { message, errors, code } = error as {
    message?: string
    errors?: readonly { message: string }[]
    code?: string
  }
  return message || errors?.[0]?.message || code || 'it does not answer'
}
