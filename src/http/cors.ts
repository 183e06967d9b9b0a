import { SAFETY_HEADERS } from './safety-headers.ts'

/** Every origin may read what needs no key. */
export const OPEN_TO_ALL = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'etag, x-request-id',
}

/** The same of audio and captions, errors included: without it a page cannot even read the status. */
export const OPEN_MEDIA = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'accept-ranges, content-length, content-range, etag, last-modified, retry-after, x-request-id',
}

/** What is written without the server's own hooks. */
export const OPEN_ANSWER = { ...SAFETY_HEADERS, ...OPEN_TO_ALL }

/** The answer to a browser's preflight. */
export const PREFLIGHT = {
  ...OPEN_TO_ALL,
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'authorization, content-type, if-none-match, x-request-id',
  'access-control-max-age': '86400',
}
