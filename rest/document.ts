import { readFile } from 'node:fs/promises'
import type { OpenAPIV3_1 } from 'openapi-types'

/** openapi.yaml as codegen.ts leaves it: reading YAML of this size takes a tenth of a second of every start. */
const COMPILED = new URL('./openapi.json', import.meta.url)

export const API_ROOT = '/api/v1'

export type Document = OpenAPIV3_1.Document

/** The contract, with the address that callers use; a null `publicUrl` leaves it relative to where the document was read. */
export async function readDocument(publicUrl: string | null): Promise<Document> {
  const document = JSON.parse(await readFile(COMPILED, 'utf8')) as Document
  return { ...document, servers: [{ url: `${publicUrl ?? ''}${API_ROOT}` }] }
}

/**
 * The document as openapi-backend gets it: a copy, since it resolves references in place, and without responses, which it would
 * compile for nothing.
 */
export function requestsOf(document: Document): Document {
  const copy = structuredClone({ ...document, webhooks: {} })
  for (const path of Object.values(copy.paths ?? {})) {
    for (const operation of Object.values(path ?? {})) {
      if (typeof operation === 'object' && 'responses' in operation) operation.responses = {}
    }
  }
  return copy
}
