import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import { matchesETag, namesETag } from '../http/if-none-match.ts'

/** What a caller's copy is compared by: a strong entity tag with its quotes, and when the content was last written. */
export interface Validators {
  readonly etag: string
  readonly modified: Date
}

/** The three forms of RFC 9110 section 5.6.7; anything else is no date. */
const HTTP_DATE =
  /^[A-Z][a-z]{2,8},? ?(\d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} [\d:]{8} GMT|[A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/

/** Whether the request is for other content than there is: If-Match decides alone where it is sent, else If-Unmodified-Since (RFC 9110 section 13.2.2). */
export function isForOther(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const { 'if-match': tags, 'if-unmodified-since': since } = headers
  if (tags !== undefined) return !matchesETag(tags, etag)
  return since !== undefined && toSeconds(modified) > parseHttpDate(since)
}

/** Whether the caller's copy is still good: If-None-Match decides alone where it is sent, else If-Modified-Since (RFC 9110 section 13.2.2). */
export function isFresh(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = headers
  if (tags !== undefined) return namesETag(tags, etag)
  return since !== undefined && toSeconds(modified) <= parseHttpDate(since)
}

/** Whether If-Range, where it is sent, names this very content: weak tags and dates of the last second do not (RFC 9110 section 13.1.5). */
export function isSameContent(ifRange: string | undefined, { etag, modified }: Validators, now: Date): boolean {
  if (ifRange === undefined || ifRange === etag) return true
  return parseHttpDate(ifRange) === toSeconds(modified) && toSeconds(now) > toSeconds(modified)
}

/** In seconds, as precise as the headers are; NaN, which is like nothing, for what is no date. */
const parseHttpDate = (text: string): number =>
  HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) / 1000 : Number.NaN

const toSeconds = (time: Date): number => Math.floor(time.getTime() / 1000)

/** 412: the file is another one than the client asks for. */
export const rejectPrecondition = (reply: FastifyReply): FastifyReply =>
  reply.code(412).send({
    error: 'The file is another one than If-Match or If-Unmodified-Since asks for: leave them out to read it.',
    error_code: 'INVALID_REQUEST',
  })
