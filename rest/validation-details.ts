import type { ErrorObject } from 'ajv'
import { type Detail, MAX_DETAILS } from '../src/errors/service-error.ts'
import { pointerToken } from '../src/values/json.ts'

const BODY = '/requestBody'
const HEADER = '/header/'
const OTHER_PARAMETER = /^\/(?:query|path|cookie)\/?/
const SILENT: ReadonlySet<string> = new Set(['if', 'anyOf', 'oneOf', 'allOf'])

/** Turns ajv's errors into details with JSON pointers or parameter names. */
export function detailsOf(errors: readonly ErrorObject[]): Detail[] {
  const telling = errors.filter(({ keyword }) => !SILENT.has(keyword))
  return telling.slice(0, MAX_DETAILS).map((error) => ({ path: pathOf(error), message: messageOf(error) }))
}

function pathOf({ instancePath, params }: ErrorObject): string {
  const named: unknown = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty
  const path = named === undefined ? instancePath : `${instancePath}/${pointerToken(String(named))}`
  if (path.startsWith(BODY)) return path.slice(BODY.length)
  if (path.startsWith(HEADER)) return path.slice(HEADER.length).replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
  return path.replace(OTHER_PARAMETER, '')
}

function messageOf({ keyword, message }: ErrorObject): string {
  if (keyword === 'required') return 'is required'
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') return 'unknown key'
  return message ?? 'is not valid'
}
