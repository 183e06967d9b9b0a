import { isDatabaseDown } from '../errors/database-down.ts'
import { ServiceError } from '../errors/service-error.ts'
import { errorCode } from '../values/data-directory.ts'

const NOT_LET_IN = /^(28[0-9A-Z]{3}|3D000)$/
const UNTRUSTED = /^(ERR_TLS_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_|ERR_SSL_)/
const DRIVER_MESSAGES: ReadonlySet<string> = new Set([
  'The server does not support SSL connections',
  'Query read timeout',
])

/** Explains to the operator why the database is unusable; returns any other error unchanged. */
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

function reasonOf(error: unknown): string {
  const { message, errors, code } = error as {
    message?: string
    errors?: readonly { message: string }[]
    code?: string
  }
  return message || errors?.[0]?.message || code || 'it does not answer'
}
