import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { invalidRequest, listTooLarge, payloadTooLarge, unsupportedMediaType } from '../errors/service-error.ts'
import { findUnstorable, pointerOf } from '../values/json.ts'

export const MAX_BODY_BYTES = 1_048_576

/** JSON may escape a character as `\uXXXX`. */
export const BYTES_PER_CHARACTER = 6
const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b]

/** The largest body with a text, in bytes. */
export const textBodyBytes = (maxTextCharacters: number): number =>
  Math.max(MAX_BODY_BYTES, BYTES_PER_CHARACTER * maxTextCharacters + MAX_BODY_BYTES / 16)

export const MAX_LIST_BYTES = 4 * MAX_BODY_BYTES

const MAX_BODY_VALUES = 20_000
export const MAX_LIST_VALUES = 50_000

const JSON_TYPE = /^application\/json[ \t]*(;|$)/i
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*("[^"]*"|[^;\s]*)/i

type JsonObject = Record<string, unknown>

/**
 * Checks a body's headers before reading it.
 * @throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE
 */
export function checkBodyHeaders(headers: IncomingHttpHeaders, isList = false, maxBytes = MAX_BODY_BYTES): void {
  const length = Number(headers['content-length'])
  if (isList && length > MAX_LIST_BYTES) throw listTooLarge()
  if (!isList && length > maxBytes) throw payloadTooLarge(maxBytes)
  const type = headers['content-type']
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  const typed = type === undefined ? !hasBody : isJsonType(type)
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (typed && encoding === 'identity') return
  throw unsupportedMediaType()
}

export function ignoreEmptyBody({ headers }: { readonly headers: IncomingHttpHeaders }): void {
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0)
    delete headers['content-type']
}

/**
 * Parses a JSON object. It rejects invalid UTF-8, NUL, unpaired surrogates, numbers out of range, prototype keys and deep nesting.
 * @throws INVALID_REQUEST
 */
export function parseJsonBody(bytes: Buffer, maxValues = MAX_BODY_VALUES): JsonObject {
  if (bytes.length === 0) throw invalidRequest('Send a JSON object as the body.')
  if (!isUtf8(bytes)) throw invalidRequest('Send the body in valid UTF-8.')
  if (holdsMoreThan(maxValues, bytes)) throw invalidRequest(`Send a body of at most ${maxValues} values.`)
  const body = parse(bytes.toString('utf8'))
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw invalidRequest('Send a JSON object as the body.')
  rejectMisread(body)
  return body as JsonObject
}

/** Applies the checks of parseJsonBody to parsed JSON. @throws INVALID_REQUEST */
export function rejectMisread(body: object): void {
  const unstorable = findUnstorable(body)
  if (unstorable !== null) {
    const { path, message, error } = unstorable
    throw invalidRequest(error, [{ path: pointerOf(path) || '/', message }])
  }
  const prototypeKey = prototypeKeyPath(body)
  if (prototypeKey !== null) {
    const details = [{ path: pointerOf(prototypeKey), message: 'is not allowed as a key' }]
    throw invalidRequest('Invalid request: see `details`.', details)
  }
}

function isJsonType(type: string): boolean {
  if (!JSON_TYPE.test(type)) return false
  const charset = CHARSET.exec(type)?.[1]?.replaceAll('"', '').toLowerCase()
  return charset === undefined || charset === 'utf-8' || charset === 'utf8'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidRequest('Send well-formed JSON.')
  }
}

export const isPrototypeKey = (key: string | number, parent: string | number | undefined): boolean =>
  key === '__proto__' || (key === 'prototype' && parent === 'constructor')

function prototypeKeyPath(value: unknown, parent?: string | number): string[] | null {
  if (value === null || typeof value !== 'object') return null
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value)
  for (const key of keys) {
    if (isPrototypeKey(key, parent)) return [String(key)]
    const deeper = prototypeKeyPath((value as Record<string | number, unknown>)[key], key)
    if (deeper !== null) return [String(key), ...deeper]
  }
  return null
}

/** Counts lists, objects and members in one pass before parsing, because parsing many of them blocks the event loop. */
function holdsMoreThan(max: number, json: Uint8Array): boolean {
  let count = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === QUOTE) at = endOfText(json, at)
    else if ((byte === COMMA || byte === BRACKET || byte === BRACE) && ++count > max) return true
  }
  return false
}

function endOfText(json: Uint8Array, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at
}
