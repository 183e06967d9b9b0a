import { SAFETY_HEADERS } from './safety-headers.ts'

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

export const OPEN_ANSWER = { ...SAFETY_HEADERS, ...OPEN_TO_ALL }

export const PREFLIGHT = {
  ...OPEN_TO_ALL,
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'authorization, content-type, if-none-match, x-request-id',
  'access-control-max-age': '86400',
}
