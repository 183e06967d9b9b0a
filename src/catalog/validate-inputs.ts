import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { SchemaValidateFunction } from 'ajv/dist/types/index.js'
import addFormats from 'ajv-formats'
import type { InputsValidator, JsonSchema } from '../context/catalog-snapshot.ts'
import { type Detail, internalError, MAX_DETAILS } from '../errors/service-error.ts'
import { canonicalJson, pointerToken } from '../values/json.ts'

// `strictNumbers` rejects Infinity. `logger: false` keeps ajv from printing unknown formats.
const OPTIONS = {
  ...{ strict: false, strictNumbers: true, allErrors: true, useDefaults: true, ownProperties: true },
  logger: false,
} as const

/** Compiles a schema (JSON Schema 2020-12). A broken one must not stop the others: its endpoint answers INTERNAL_ERROR. */
export function compileInputs(schema: JsonSchema): InputsValidator {
  try {
    return compiled(schema)
  } catch (error) {
    return () => {
      throw internalError(error)
    }
  }
}

function compiled(schema: JsonSchema): InputsValidator {
  // Compiling the meta-schema is slow. A fresh instance, because schemas may share an $id.
  const ajv = withKeywords(new Ajv2020({ ...OPTIONS, meta: false, validateSchema: false }))
  const validate: ValidateFunction = ajv.compile(withoutDialect(schema))
  if ('$async' in validate) throw new Error('the schema is asynchronous')
  return (inputs) => (validate(inputs) ? [] : (validate.errors ?? []).slice(0, MAX_DETAILS).map(toDetail))
}

/** @throws Error if the schema is invalid */
export function checkInputs(schema: JsonSchema): void {
  withKeywords(new Ajv2020(OPTIONS)).compile(schema)
}

function withKeywords(ajv: Ajv2020): Ajv2020 {
  addFormats.default(ajv)
  return ajv.removeKeyword('uniqueItems').addKeyword({
    ...{ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', errors: true },
    validate: areUnique,
  })
}

const areUnique: SchemaValidateFunction = (isAsked: boolean, items: readonly unknown[]) => {
  const seen = new Map<string, number>()
  for (const [i, item] of isAsked ? items.entries() : []) {
    const key = canonicalJson(item)
    const j = seen.get(key)
    if (j !== undefined) {
      const message = `must NOT have duplicate items (items ## ${j} and ${i} are identical)`
      areUnique.errors = [{ keyword: 'uniqueItems', message, params: { i, j } }]
      return false
    }
    seen.set(key, i)
  }
  return true
}

const withoutDialect = ({ $schema: _dialect, ...rest }: JsonSchema): JsonSchema => rest

function toDetail(error: ErrorObject): Detail {
  const at = `/inputs${error.instancePath}`
  switch (error.keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const key = error.params.additionalProperty ?? error.params.unevaluatedProperty
      return { path: `${at}/${pointerToken(String(key))}`, message: 'unknown key' }
    }
    case 'required':
      return { path: `${at}/${pointerToken(String(error.params.missingProperty))}`, message: 'is required' }
    case 'enum':
      return {
        path: at,
        message: `must be one of ${(error.params.allowedValues as unknown[]).map(String).join(', ')}`,
      }
    case 'pattern':
      return {
        path: at,
        message:
          error.params.pattern === '\\S'
            ? 'must hold a character that is not white space'
            : (error.message ?? 'is invalid'),
      }
    default:
      return { path: at, message: error.message ?? 'is invalid' }
  }
}
