import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import { matchesETag, namesETag } from '../http/if-none-match.ts'

/** `etag` is a strong entity tag, quotes included. */
export interface Validators {
  readonly etag: string
  readonly modified: Date
}

/** The three date formats of RFC 9110 section 5.6.7. */
const HTTP_DATE =
  /^[A-Z][a-z]{2,8},? ?(\d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} [\d:]{8} GMT|[A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/

/** If-Match takes precedence over If-Unmodified-Since (RFC 9110 section 13.2.2). */
export function isForOther(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const { 'if-match': tags, 'if-unmodified-since': since } = headers
  if (tags !== undefined) return !matchesETag(tags, etag)
  return since !== undefined && toSeconds(modified) > parseHttpDate(since)
}

/** If-None-Match takes precedence over If-Modified-Since (RFC 9110 section 13.2.2). */
export function isFresh(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = headers
  if (tags !== undefined) return namesETag(tags, etag)
  return since !== undefined && toSeconds(modified) <= parseHttpDate(since)
}

/** If-Range rejects weak tags and dates within the last second (RFC 9110 section 13.1.5). */
export function isSameContent(ifRange: string | undefined, { etag, modified }: Validators, now: Date): boolean {
  if (ifRange === undefined || ifRange === etag) return true
  return parseHttpDate(ifRange) === toSeconds(modified) && toSeconds(now) > toSeconds(modified)
}

/** Unix seconds; NaN if it is no date. */
const parseHttpDate = (text: string): number =>
  HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) / 1000 : Number.NaN

const toSeconds = (time: Date): number => Math.floor(time.getTime() / 1000)

export const rejectPrecondition = (reply: FastifyReply): FastifyReply =>
  reply.code(412).send({
    error: 'The file is another one than If-Match or If-Unmodified-Since asks for: leave them out to read it.',
    error_code: 'INVALID_REQUEST',
  })
