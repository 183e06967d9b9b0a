import { registerSchema, type SchemaObject, type Validator, validate } from '@hyperjump/json-schema/openapi-3-1'

const STRICT = 'https://sonant.example/openapi-strict'

/**
 * The official schema of OpenAPI 3.1 with the official dialect for its Schema Objects, which both let a keyword pass that no vocabulary defines:
 * here they do not.
 */
const STRICT_SCHEMA: SchemaObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: STRICT,
  $ref: 'https://spec.openapis.org/oas/3.1/schema',
  $defs: {
    schema: {
      $dynamicAnchor: 'meta',
      $ref: 'https://spec.openapis.org/oas/3.1/dialect/base',
      patternProperties: { '^x-': true },
      unevaluatedProperties: false,
    },
  },
}

/** Tells where a document leaves OpenAPI 3.1: JSON pointers, the innermost ones. */
export async function strictOpenApi(): Promise<(document: unknown) => string[]> {
  registerSchema(STRICT_SCHEMA)
  const check: Validator = await validate(STRICT)
  return (document) => {
    const output = check(document as never, 'BASIC')
    return output.valid ? [] : (output.errors ?? []).map(({ instanceLocation }) => instanceLocation)
  }
}
