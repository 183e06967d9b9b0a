import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Detail } from '../errors.ts'
import type { JsonSchema } from './voice-endpoint.ts'

/** Fills in defaults in place, and returns what is wrong: nothing when the inputs are valid. `path` starts with `/inputs`. */
export type InputsValidator = (inputs: Record<string, unknown>) => readonly Detail[]

/** Compiles an endpoint's `inputs` schema (JSON Schema 2020-12). @throws Error where the schema itself is wrong. */
export function compileInputs(schema: JsonSchema): InputsValidator {
  // A fresh instance each time: schemas of operators may share an $id, and an endpoint's old schema must not linger.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    useDefaults: true,
    ownProperties: true,
    validateFormats: true,
  })
  addFormats.default(ajv)
  const validate: ValidateFunction = ajv.compile(schema)
  return (inputs) => (validate(inputs) ? [] : (validate.errors ?? []).map(toDetail))
}

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

const pointerToken = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')
