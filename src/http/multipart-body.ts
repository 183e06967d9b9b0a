import type { IncomingHttpHeaders } from 'node:http'
import type { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Busboy } from '@fastify/busboy'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { findUnstorable } from '../values/json.ts'

export const MAX_FILE_BYTES = 10 * 1024 * 1024
const MAX_REST_BYTES = 64 * 1024
export const MAX_FORM_BYTES = MAX_FILE_BYTES + MAX_REST_BYTES

const FORM_TYPE = /^multipart\/form-data[ \t]*;(.*;)?[ \t]*boundary=/i
const MAX_PARTS = 20
const STEP_BYTES = 64 * 1024

export interface Form {
  readonly fields: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, Uint8Array>>
}

/** @throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE */
export function checkFormHeaders(headers: IncomingHttpHeaders): void {
  if (Number(headers['content-length']) > MAX_FORM_BYTES) throw fileTooLarge()
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (FORM_TYPE.test(headers['content-type'] ?? '') && encoding === 'identity') return
  throw new ServiceError(
    'UNSUPPORTED_MEDIA_TYPE',
    'Send the body as multipart/form-data with a boundary, without content-encoding.',
  )
}

export const fileTooLarge = () => new ServiceError('PAYLOAD_TOO_LARGE', 'Send a file of at most 10 MiB.')

/**
 * Parses a form whose field names are unique.
 * @throws PAYLOAD_TOO_LARGE, INVALID_REQUEST
 */
export async function parseForm(bytes: Buffer, contentType: string): Promise<Form> {
  const form = await parts(bytes, contentType)
  const unstorable = findUnstorable(form.fields)
  if (unstorable === null) return form
  throw invalidRequest(unstorable.error, [{ path: unstorable.path.join('/'), message: unstorable.message }])
}

function parts(bytes: Buffer, contentType: string): Promise<Form> {
  const { promise, resolve, reject } = Promise.withResolvers<Form>()
  const malformed = () => reject(invalidRequest('Send well-formed multipart/form-data.'))
  const fields: Record<string, string> = Object.create(null)
  const files: Record<string, Uint8Array> = Object.create(null)
  const isNew = (name: string): boolean => {
    const isRepeated = name in fields || name in files
    if (isRepeated) reject(invalidRequest('Send each field once.', [{ path: name, message: 'is repeated' }]))
    return !isRepeated
  }
  try {
    const limits = { parts: MAX_PARTS, fileSize: MAX_FILE_BYTES, fieldSize: MAX_REST_BYTES, headerPairs: MAX_PARTS }
    const parser = new Busboy({ headers: { 'content-type': contentType }, limits })
    parser.on('field', (name, value) => {
      if (isNew(name)) fields[name] = value
    })
    parser.on('file', (name, file) => {
      const pieces: Buffer[] = []
      if (isNew(name)) files[name] = new Uint8Array(0)
      file.on('data', (piece: Buffer) => pieces.push(piece))
      file.on('limit', () => reject(fileTooLarge()))
      file.on('error', malformed)
      file.on('end', () => {
        files[name] = Buffer.concat(pieces)
      })
    })
    parser.on('partsLimit', malformed)
    parser.on('error', malformed)
    parser.on('finish', () => resolve({ fields: { ...fields }, files: { ...files } }))
    void feed(parser, bytes, promise)
  } catch {
    malformed()
  }
  return promise
}

async function feed(parser: Writable, bytes: Buffer, form: Promise<Form>): Promise<void> {
  let isRefused = false
  form.catch(() => {
    isRefused = true
  })
  for (let at = 0; at < bytes.length && !isRefused; at += STEP_BYTES) {
    parser.write(bytes.subarray(at, at + STEP_BYTES))
    await nextTurn()
  }
  if (isRefused) parser.destroy()
  else parser.end()
}
