import { readFileSync } from 'node:fs'
import {
  type DocumentNode,
  type GraphQLObjectType,
  getOperationAST,
  Kind,
  parse,
  specifiedRules,
  validate,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateExampleTypes } from '../../../examples/generate-types.ts'
import { readExamples } from '../../../src/graphql/http/examples.ts'
import { graphqlSchema } from '../../../src/graphql/schema.ts'
import { type ExampleScenario, openExampleScenario } from '../../setup/scenarios/example-scenario.ts'
import { openEventClient, openSocketClient } from '../../setup/service/subscriber.ts'

const EXAMPLES = await readExamples()
const schema = graphqlSchema
const parsed = EXAMPLES.map((example) => ({ ...example, document: parse(example.query) }))

let scenario: ExampleScenario
beforeAll(async () => {
  scenario = await openExampleScenario()
})
afterAll(() => scenario?.close())

const operationOf = (document: DocumentNode) => getOperationAST(document)!.operation
const rootFieldsOf = (document: DocumentNode) =>
  getOperationAST(document)!.selectionSet.selections.flatMap((selection) =>
    selection.kind === Kind.FIELD ? [selection.name.value] : [],
  )
const fieldsOf = (type: GraphQLObjectType | null | undefined) => Object.keys(type?.getFields() ?? {})

describe('examples/graphql', () => {
  test.each([
    ['query', fieldsOf(schema.getQueryType())],
    ['mutation', fieldsOf(schema.getMutationType())],
    ['subscription', fieldsOf(schema.getSubscriptionType())],
  ])('shows every root field of a %s', (operation, fields) => {
    const shown = parsed.filter(({ document }) => operationOf(document) === operation)
    expect(fields.filter((field) => !shown.some(({ document }) => rootFieldsOf(document).includes(field)))).toEqual([])
  })

  test.each(parsed)('$name is valid, named, and says what it is for', ({ about, document }) => {
    expect(validate(schema, document, specifiedRules)).toEqual([])
    expect(getOperationAST(document)?.name?.value).toMatch(/^[A-Z]/)
    expect(about).toMatch(/^[A-Z].*[.;].*$/)
  })

  test('have types that are up to date, and that a wrong field has no place in', async () => {
    const committed = readFileSync(new URL('../../../examples/graphql-types.ts', import.meta.url), 'utf8')
    expect(await generateExampleTypes(schema, EXAMPLES)).toBe(committed)
    const wrong = { name: 'wrong', about: '', query: 'query Wrong { catalog { version } }', variables: {} }
    await expect(generateExampleTypes(schema, [wrong])).rejects.toThrow('Cannot query field "version"')
  })

  // `models-graphql.test.ts` pulls a model, which needs a mirror and a worker.
  const asked = parsed.filter(({ name, document }) => operationOf(document) !== 'subscription' && name !== 'pull-model')
  test.each(asked)('$name is answered without an error', async ({ name, query, variables, document }) => {
    const { data, errors } = await scenario.ask(name, query, variables)
    expect(errors).toBeUndefined()
    for (const field of rootFieldsOf(document)) {
      expect(data).toHaveProperty(field)
      expect(data?.[field]).not.toMatchObject({ __typename: 'RequestError' })
    }
  })

  test.each(parsed.filter(({ document }) => operationOf(document) === 'subscription'))(
    '$name is followed over WebSocket and server-sent events',
    async ({ name, query, variables, document }) => {
      const prepared = await scenario.variablesFor(name, variables)
      for (const open of [openSocketClient, openEventClient]) {
        const client = open(scenario.url, scenario.key)
        const heard = client.subscribe<Record<string, unknown>>(query, prepared)
        const told = await heard.waitFor(() => true)
        expect(told[rootFieldsOf(document)[0]!]).toBeTruthy()
        expect(heard.errors).toEqual([])
        await client.dispose()
      }
    },
  )
})
