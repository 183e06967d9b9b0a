/**
 * SQLSTATEs of a server that is stopping, starting, read-only, out of resources or unreachable,
 * or that ended a statement for time, a lock or a conflict.
 */
const SQLSTATE = /^(57P0[1-5]|25P0[34]|25006|57014|55P03|40001|40P01|(?:08|53)[0-9A-Z]{3}|58030)$/
const SOCKET_ERRORS: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
const PRISMA_CODES: ReadonlySet<string> = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2034', 'P2037'])
const ADAPTER_KINDS: ReadonlySet<string> = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'TransactionWriteConflict',
])
const DRIVER_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Cannot use a pool after)/
const TRANSACTION_TIMED_OUT =
  /Unable to start a transaction in the given time|cannot be executed on an expired transaction/
const MAX_CAUSES = 5
const CONTENDED: ReadonlySet<unknown> = new Set(['55P03', '40P01'])

interface DatabaseFailure {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly kind?: unknown
  readonly originalCode?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  readonly errors?: unknown
  readonly meta?: { readonly driverAdapterError?: unknown } | null
}

export type StoreFault = 'away' | 'full' | 'read-only'

interface StoreDownOptions extends ErrorOptions {
  /** Absent: away. */
  readonly fault?: StoreFault
  readonly code?: string | undefined
}

/** Tells whether the database is unreachable now, so that the same request may succeed later. */
export function isDatabaseDown(error: unknown, depth = 0): boolean {
  if (error === null || typeof error !== 'object' || depth > MAX_CAUSES) return false
  const failure = error as DatabaseFailure
  if (isConnectionCode(failure) || isTimeout(failure)) return true
  if (ADAPTER_KINDS.has(String(failure.kind)) || SQLSTATE.test(String(failure.originalCode))) return true
  if (Array.isArray(failure.errors) && failure.errors.some((part) => isDatabaseDown(part, depth + 1))) return true
  return [failure.cause, failure.meta?.driverAdapterError].some((inner) => isDatabaseDown(inner, depth + 1))
}

function isTimeout({ code, message }: DatabaseFailure): boolean {
  const text = String(message ?? '')
  return DRIVER_MESSAGE.test(text) || (code === 'P2028' && TRANSACTION_TIMED_OUT.test(text))
}

/** ENOENT also means a missing file, so it counts only for a failed connect. */
function isConnectionCode({ code, syscall }: DatabaseFailure): boolean {
  if (typeof code !== 'string') return false
  if (SOCKET_ERRORS.has(code)) return code !== 'ENOENT' || syscall === 'connect'
  return SQLSTATE.test(code) || PRISMA_CODES.has(code)
}

export function isDatabaseError(error: unknown): boolean {
  const { code, severity, message } = (error ?? {}) as { code?: unknown; severity?: unknown; message?: unknown }
  return (typeof severity === 'string' && typeof code === 'string') || DRIVER_MESSAGE.test(String(message ?? ''))
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code

export const wasSent = (error: unknown): boolean =>
  codeOf(error) !== undefined || (error as Error).message.startsWith('Connection terminated')

/** Tells whether the statement certainly wrote nothing. A lost connection proves nothing. */
export const wroteNothing = (error: unknown): boolean =>
  !wasSent(error) || CONTENDED.has(codeOf(error)) || !isDatabaseDown(error)

/** The artifact store is unavailable, which is no failure of the job. */
export class StoreDown extends Error {
  override readonly name = 'StoreDown'
  readonly fault: StoreFault
  readonly code: string | undefined

  constructor(message: string, { fault = 'away', code, cause }: StoreDownOptions = {}) {
    super(message, { cause })
    this.fault = fault
    this.code = code
  }
}

const SYSTEM_ERRORS: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])

export const isStoreDown = (error: unknown): boolean =>
  error instanceof StoreDown || SYSTEM_ERRORS.has((error as { readonly code?: unknown } | null | undefined)?.code)
