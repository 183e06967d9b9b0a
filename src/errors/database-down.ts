/**
 * SQLSTATEs of a PostgreSQL that is stopping, starting or gone (class 08), or lacks disk, memory, connections (class 53) or a working disk;
 * that takes no writes (25006: a standby, before it is promoted); that broke a statement or a transaction off for its time, a lock or another
 * transaction (57014, 25P04, 55P03, 40001, 40P01).
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
/** Prisma: cannot reach, timed out, connection closed, too many connections, pool exhausted, a conflict of transactions. */
const PRISMA_CODES: ReadonlySet<string> = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2034', 'P2037'])
const ADAPTER_KINDS: ReadonlySet<string> = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'TransactionWriteConflict',
])
/** The driver's own errors carry no code. */
const DRIVER_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Cannot use a pool after)/
/** Prisma has one code for these, and for a transaction that is used after its end. */
const TRANSACTION_TIMED_OUT =
  /Unable to start a transaction in the given time|cannot be executed on an expired transaction/
const MAX_CAUSES = 5
/** Broken off for a lock, or another transaction. */
const CONTENDED: ReadonlySet<unknown> = new Set(['55P03', '40P01'])

interface DatabaseFailure {
  readonly code?: unknown
  readonly syscall?: unknown
  readonly kind?: unknown
  readonly originalCode?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  readonly errors?: unknown
  /** Where Prisma puts the driver's error of a raw statement. */
  readonly meta?: { readonly driverAdapterError?: unknown } | null
}

/** Whether an exception means that the database cannot be reached now; the same request may succeed a second later. */
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

/** A missing file is also ENOENT: only a failed `connect` (or a broken socket) means the database. */
function isConnectionCode({ code, syscall }: DatabaseFailure): boolean {
  if (typeof code !== 'string') return false
  if (SOCKET_ERRORS.has(code)) return code !== 'ENOENT' || syscall === 'connect'
  return SQLSTATE.test(code) || PRISMA_CODES.has(code)
}

/** Whether an exception is the database's own, or about a connection to it, whatever it says: not about what was to be done otherwise. */
export function isDatabaseError(error: unknown): boolean {
  const { code, severity, message } = (error ?? {}) as { code?: unknown; severity?: unknown; message?: unknown }
  return (typeof severity === 'string' && typeof code === 'string') || DRIVER_MESSAGE.test(String(message ?? ''))
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code

/** Whether PostgreSQL may have got the statement that failed so: there was a connection to be had. */
export const wasSent = (error: unknown): boolean =>
  codeOf(error) !== undefined || (error as Error).message.startsWith('Connection terminated')

/** Whether it surely wrote nothing: of a statement whose connection was lost nothing is known. */
export const wroteNothing = (error: unknown): boolean =>
  !wasSent(error) || CONTENDED.has(codeOf(error)) || !isDatabaseDown(error)
