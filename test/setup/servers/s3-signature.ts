import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const REGION = 'us-east-1'
const ALLOWED_SKEW_MS = 15 * 60_000

interface Signed {
  readonly method: string
  /** Path and query as they came. */
  readonly target: string
  readonly headers: IncomingMessage['headers']
}

interface Parts {
  readonly credential: string
  readonly date: string
  readonly signedHeaders: string
  readonly signature: string
  readonly payloadHash: string
  readonly expiresSeconds: number | null
}

/**
 * The code of S3's refusal, or null where the request is signed rightly (AWS Signature Version 4, in the headers or in the query).
 * Written from Amazon's description alone: s3rver takes any signature of that version.
 */
export function signatureFault(request: Signed, accessKey: string, secret: string, now: Date): string | null {
  const url = new URL(request.target, 'http://s3.invalid')
  const parts = url.searchParams.has('X-Amz-Signature') ? fromQuery(url) : fromHeaders(request.headers)
  if (parts === null) return 'AccessDenied'
  const scope = `${parts.date.slice(0, 8)}/${REGION}/s3/aws4_request`
  if (parts.credential !== `${accessKey}/${scope}`) return 'InvalidAccessKeyId'
  const canonical = canonicalRequest(request, url, parts)
  const text = ['AWS4-HMAC-SHA256', parts.date, scope, sha256(canonical)].join('\n')
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${secret}`, parts.date.slice(0, 8)), REGION))
  if (hmac(key, text).toString('hex') !== parts.signature) return 'SignatureDoesNotMatch'
  const age = now.getTime() - Date.parse(parts.date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  const oldest = parts.expiresSeconds === null ? ALLOWED_SKEW_MS : parts.expiresSeconds * 1000
  return age > oldest || age < -ALLOWED_SKEW_MS ? 'AccessDenied' : null
}

function fromQuery(url: URL): Parts {
  const get = (name: string) => url.searchParams.get(`X-Amz-${name}`) ?? ''
  return {
    credential: get('Credential'),
    date: get('Date'),
    signedHeaders: get('SignedHeaders'),
    signature: get('Signature'),
    payloadHash: 'UNSIGNED-PAYLOAD',
    expiresSeconds: Number(get('Expires')),
  }
}

function fromHeaders(headers: IncomingMessage['headers']): Parts | null {
  const form = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/
  const [, credential, signedHeaders, signature] = form.exec(headers.authorization ?? '') ?? []
  if (credential === undefined || signedHeaders === undefined || signature === undefined) return null
  const [date, payloadHash] = [String(headers['x-amz-date']), String(headers['x-amz-content-sha256'])]
  return { credential, date, signedHeaders, signature, payloadHash, expiresSeconds: null }
}

function canonicalRequest({ method, headers }: Signed, url: URL, parts: Parts): string {
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
  const names = parts.signedHeaders.split(';')
  const lines = names.map((name) => `${name}:${String(headers[name]).trim().replace(/\s+/g, ' ')}\n`)
  const path = url.pathname.split('/').map(decodeURIComponent).map(encode).join('/')
  return [method, path, query, lines.join(''), parts.signedHeaders, parts.payloadHash].join('\n')
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
