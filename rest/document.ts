import { readFile } from 'node:fs/promises'
import type { OpenAPIV3_1 } from 'openapi-types'

/** codegen.ts compiles openapi.yaml, because parsing YAML slows each start. */
const COMPILED = new URL('./openapi.json', import.meta.url)

export const API_ROOT = '/api/v1'

export type Document = OpenAPIV3_1.Document

export async function readDocument(publicUrl: string | null): Promise<Document> {
  const document = JSON.parse(await readFile(COMPILED, 'utf8')) as Document
  return { ...document, servers: [{ url: `${publicUrl ?? ''}${API_ROOT}` }] }
}

/** A copy without responses, because openapi-backend changes the document and would compile them. */
export function requestsOf(document: Document): Document {
  const copy = structuredClone({ ...document, webhooks: {} })
  for (const path of Object.values(copy.paths ?? {})) {
    for (const operation of Object.values(path ?? {})) {
      if (typeof operation === 'object' && 'responses' in operation) operation.responses = {}
    }
  }
  return copy
}
