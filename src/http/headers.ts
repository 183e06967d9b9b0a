import type { IncomingMessage } from 'node:http'
import { invalidRequest } from '../errors/service-error.ts'

export const OPEN_TO_ALL = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'etag, x-request-id',
}

/** Errors included: without it a page cannot read the status. */
export const OPEN_MEDIA = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'accept-ranges, content-length, content-range, etag, last-modified, retry-after, x-request-id',
}

/** Headers of every answer, errors included. */
export const SAFETY_HEADERS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' }
export const OPEN_ANSWER = { ...SAFETY_HEADERS, ...OPEN_TO_ALL }

export const PREFLIGHT = {
  ...OPEN_TO_ALL,
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'authorization, content-type, if-none-match, x-request-id',
  'access-control-max-age': '86400',
}

/** Node joins repeated headers into one value. @throws INVALID_REQUEST */
export function rejectRepeatedKey({ headers, headersDistinct }: IncomingMessage): void {
  if (headers['idempotency-key'] === undefined || headersDistinct['idempotency-key']?.length === 1) return
  throw invalidRequest('Send one Idempotency-Key.', [{ path: 'Idempotency-Key', message: 'is repeated' }])
}
