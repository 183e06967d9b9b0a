import type { IncomingMessage } from 'node:http'
import { invalidRequest } from '../errors/service-error.ts'

/** Node joins repeated headers into one value. @throws INVALID_REQUEST */
export function rejectRepeatedKey({ headers, headersDistinct }: IncomingMessage): void {
  if (headers['idempotency-key'] === undefined || headersDistinct['idempotency-key']?.length === 1) return
  throw invalidRequest('Send one Idempotency-Key.', [{ path: 'Idempotency-Key', message: 'is repeated' }])
}
