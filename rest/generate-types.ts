import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { parse } from 'yaml'

const BANNER = '// Generated from rest/openapi.yaml by codegen.ts: change that file instead.'
const STYLE = { semi: false, singleQuote: true, printWidth: 120 }

interface Components {
  readonly components: { readonly schemas: Record<string, JSONSchema> }
}

export async function generateRestTypes(yaml: string): Promise<string> {
  const { components } = parse(yaml) as Components
  const definitions = JSON.parse(
    JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/definitions/'),
  )
  const properties = Object.fromEntries(
    Object.keys(definitions).map((name) => [name, { $ref: `#/definitions/${name}` }]),
  )
  const root: JSONSchema = {
    type: 'object',
    description: 'Every schema by its name in the document.',
    additionalProperties: false,
    required: Object.keys(properties),
    properties,
    definitions,
  }
  return compile(root, 'Schemas', { bannerComment: BANNER, style: STYLE, unknownAny: true })
}
