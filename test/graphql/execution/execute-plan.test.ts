import { buildSchema, type ExecutionResult, execute, type GraphQLObjectType, type GraphQLSchema, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { executeOperation } from '../../../src/graphql/execution/execute-plan.ts'
import { planOf } from '../../../src/graphql/execution/plan.ts'

const SDL = `
  interface Thing { id: ID! name: String }
  type Book implements Thing { id: ID! name: String pages: Int! author: Person authors: [Person!]! }
  type Film implements Thing { id: ID! name: String minutes: Int }
  type Person { id: ID! name: String! friend: Person shouted(times: Int = 1, mark: String!): String }
  union Any = Book | Film | Person
  enum Colour { RED BLUE }
  type Query {
    thing(id: ID!): Thing
    things: [Thing]
    sure: [Thing!]!
    any: [Any]
    user: Person!
    maybe: Person
    colour: Colour
    odd: Colour
    matrix: [[Int]]
    noList: [Int]
    typeless: Thing
    stranger: Thing
    where: String
    slow: String
    slowNull: String!
    broken: String
    brokenLater: Int
    error: String
  }
  type Mutation { count: Int }
`

const ann = { id: 'p1', name: 'Ann', friend: () => ({ id: 'p2', name: async () => 'Ben' }) }
const book = { kind: 'Book', id: 'b1', name: 'One', pages: 7, author: ann, authors: [ann, Promise.resolve(ann)] }
const torn = {
  kind: 'Book',
  id: 'b2',
  name: async () => Promise.reject(new Error('torn')),
  pages: null,
  authors: [null],
}
const film = { kind: 'Film', id: 'f1', name: 'Two', minutes: () => 'not a number' }
const ROOT = {
  thing: async ({ id }: { id: string }) => [book, torn, film].find((thing) => thing.id === id) ?? null,
  things: () => [
    book,
    Promise.resolve(film),
    null,
    torn,
    new Error('an item'),
    Promise.reject(new Error('a later item')),
  ],
  sure: () => [book, Promise.reject(new Error('one')), torn],
  any: new Set([book, film]),
  user: ann,
  maybe: async () => ({ id: null, name: 'Nobody' }),
  colour: 'RED',
  odd: 'GREEN',
  matrix: [[1, 2], null, [Promise.resolve(3), 'x']],
  noList: 7,
  typeless: { kind: undefined, id: 'x' },
  stranger: { kind: 'Person', id: 'x' },
  slow: async () => 'slow',
  slowNull: async () => null,
  broken: () => {
    throw new Error('broken')
  },
  brokenLater: async () => Promise.reject(new Error('later')),
  error: () => new Error('returned'),
}

const schema = openSchema()

function openSchema(): GraphQLSchema {
  const made = buildSchema(SDL)
  for (const name of ['Thing', 'Any']) {
    const type = made.getType(name) as { resolveType?: unknown }
    type.resolveType = (value: { kind?: string; id: string }) =>
      value.id === 'f1' ? Promise.resolve('Film') : value.kind
  }
  const fields = (name: string) => (made.getType(name) as GraphQLObjectType).getFields()
  fields('Person').shouted!.resolve = (user: { name: string }, { times, mark }) => user.name + mark.repeat(times)
  // Rest parameters: a resolver that has no length.
  fields('Query').where!.resolve = (...all) => {
    const { path, fieldName, returnType, operation, fragments, variableValues } = all[3]
    return JSON.stringify([path, fieldName, returnType, operation.operation, Object.keys(fragments), variableValues])
  }
  return made
}

const CASES: readonly [string, string, Record<string, unknown>?][] = [
  ['aliases and nested objects', '{ a: user { id friend { name } } b: user { n: name } }'],
  [
    'fields that are asked for twice',
    '{ user { id } user { id name friend { id } } ...f } fragment f on Query { user { friend { name } } }',
  ],
  ['interfaces', '{ things { __typename id name ... on Book { pages author { name } } ... on Film { minutes } } }'],
  ['unions', '{ any { __typename ... on Thing { id } ...b } } fragment b on Book { authors { name } }'],
  [
    'arguments from literals, variables and defaults',
    'query ($m: String!, $t: Int) { user { a: shouted(mark: "!") b: shouted(mark: $m, times: $t) } }',
    { m: '?', t: 3 },
  ],
  ['a variable that is left out', 'query ($m: String = ".", $t: Int) { user { shouted(mark: $m, times: $t) } }'],
  ['a variable that is missing', 'query ($m: String!) { user { shouted(mark: $m) } }'],
  ['a variable of another type', 'query ($i: ID!) { thing(id: $i) { id } }', { i: { a: 1 } }],
  ['an argument that is null at last', 'query ($m: String = "a") { user { shouted(mark: $m) } }', { m: null }],
  [
    'what resolvers are told',
    'query Q($x: ID = "7") { here: where thing(id: $x) { id } ...f } fragment f on Query { __typename }',
  ],
  ['enums', '{ colour odd }'],
  ['lists of lists', '{ matrix }'],
  ['what is no list', '{ noList }'],
  ['things of no type, and of a wrong one', '{ slow typeless { id } stranger { id } }'],
  ['errors now and later', '{ slow broken brokenLater error user { id } }'],
  ['an error in a list of what cannot be null', '{ slow sure { id name } }'],
  ['what is missing where it must not be', '{ maybe { name id } thing(id: "b2") { ... on Book { name pages } } }'],
  ['what is missing in the end', '{ slow slowNull brokenLater }'],
  ['nothing', '{ thing(id: "none") { id } }'],
]

/** Errors of fields that are resolved at the same time come in no order; two texts are ours. */
const shown = async (result: Promise<ExecutionResult> | ExecutionResult) => {
  const { data, errors, ...rest } = JSON.parse(JSON.stringify(await result)) as ExecutionResult
  const texts = errors?.map(({ message, ...place }) => {
    const isOurs = /^(Abstract type|Runtime Object type|")/.test(message)
    return JSON.stringify([isOurs ? 'type' : message, place])
  })
  return { ...rest, data, errors: texts?.sort() }
}

describe('a planned operation', () => {
  test.each(CASES)('answers as graphql itself does: %s', async (_title, text, variableValues) => {
    const call = { schema, document: parse(text), rootValue: ROOT, variableValues }
    expect(planOf(call)).not.toBeNull()
    const wanted = await shown(execute(call))
    expect(await shown(executeOperation(call))).toEqual(wanted)
    // The plan is there by now.
    expect(await shown(executeOperation(call))).toEqual(wanted)
  })

  test('keeps the order in which fields are asked for', async () => {
    const call = { schema, document: parse('{ slow colour user { name id } b: slow }'), rootValue: ROOT }
    expect(JSON.stringify(await executeOperation(call))).toBe(JSON.stringify(await execute(call)))
  })

  test('is the one that is named', async () => {
    const document = parse('query A { colour } query B { slow }')
    const answers = ['A', 'B'].map((operationName) =>
      executeOperation({ schema, document, operationName, rootValue: ROOT }),
    )
    expect(await Promise.all(answers)).toEqual([{ data: { colour: 'RED' } }, { data: { slow: 'slow' } }])
  })
})

test.each([
  ['introspection', '{ __schema { queryType { name } } }'],
  ['directives', 'query ($no: Boolean = false) { colour @include(if: $no) slow }'],
  ['directives in fragments', '{ things { ...f } } fragment f on Thing { id name @skip(if: true) }'],
  ['an alias that names the prototype', '{ __proto__: colour }'],
  ['mutations', 'mutation { count }'],
])('%s are left to graphql itself', async (_title, text) => {
  const call = { schema, document: parse(text), rootValue: { ...ROOT, count: 1 } }
  expect(planOf(call)).toBeNull()
  expect(await shown(executeOperation(call))).toEqual(await shown(execute(call)))
})
