import { getNamedType, isEnumType, isInputObjectType, isInterfaceType, isObjectType, isUnionType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { graphqlSchema } from '../../src/graphql/schema.ts'

const types = Object.values(graphqlSchema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
const fieldsOf = (type: (typeof types)[number]) =>
  isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []
const BUILT_IN: ReadonlySet<string> = new Set(['String', 'Int', 'Float', 'Boolean', 'ID'])

/** Path, description and, of fields and arguments, the named type. */
function described(): [string, string, string?][] {
  return types.flatMap((type) => [
    [type.name, type.description ?? ''],
    ...(isInputObjectType(type) ? Object.values(type.getFields()) : fieldsOf(type)).flatMap((field) => [
      [`${type.name}.${field.name}`, field.description ?? '', getNamedType(field.type).name] as [
        string,
        string,
        string,
      ],
      ...('args' in field ? field.args : []).map((argument): [string, string, string] => [
        `${type.name}.${field.name}(${argument.name})`,
        argument.description ?? '',
        getNamedType(argument.type).name,
      ]),
    ]),
    ...(isEnumType(type) ? type.getValues() : []).map((value): [string, string] => [
      `${type.name}.${value.name}`,
      value.description ?? '',
    ]),
  ])
}

describe('the schema', () => {
  test('describes every type, field, argument, input and value', () => {
    const missing: string[] = []
    const look = (path: string, { description }: { description?: string | null | undefined }) => {
      if (!description) missing.push(path)
    }
    for (const type of types.filter(({ name }) => !BUILT_IN.has(name))) {
      look(type.name, type)
      for (const field of fieldsOf(type)) {
        look(`${type.name}.${field.name}`, field)
        for (const argument of field.args) look(`${type.name}.${field.name}(${argument.name})`, argument)
      }
      if (isInputObjectType(type))
        for (const field of Object.values(type.getFields())) look(`${type.name}.${field.name}`, field)
      if (isEnumType(type)) for (const value of type.getValues()) look(`${type.name}.${value.name}`, value)
    }
    expect(missing).toEqual([])
  })

  test('begins each description with the noun that it describes', () => {
    const vague = /^(what|of|why|when|how|where|which|whose|whether|its|it|by|in|as|only|so many|null|absent|either)\b/i
    expect(described().filter(([, text]) => vague.test(text))).toEqual([])
    expect(described().length).toBeGreaterThan(500)
    // A value of an enum may be a sentence: "A worker performs the job."
    const named = described().filter(
      ([path, , type]) => !BUILT_IN.has(path) && (type !== undefined || !path.includes('.')),
    )
    expect(named.filter(([, text]) => /^(the|a|an)\b/i.test(text))).toEqual([])
  })

  test('says in a sentence when a value is null', () => {
    expect(described().filter(([, text]) => /\bnull:|\bnull of\b|\b(jobs|users|keys) only\./i.test(text))).toEqual([])
  })

  test('says which orders of jobs have no index', () => {
    const orders = types.find(({ name }) => name === 'JobOrderField')
    const unindexed = isEnumType(orders)
      ? orders.getValues().filter((value) => /No index/.test(value.description ?? ''))
      : []
    expect(unindexed.map(({ name }) => name).sort()).toEqual(['COST', 'STARTED_AT', 'WAIT'])
  })

  test('describes a time, an id, a number, a flag or a URL as what its type is', () => {
    const types: readonly (readonly [RegExp, readonly string[]])[] = [
      [/^Time (of|when) /, ['DateTime']],
      [/^Id (of|or) /, ['ID', 'String']],
      [/^Number of /, ['Int', 'Float']],
      [/^True /, ['Boolean']],
      [/^(Signed )?URLs? /, ['URL', 'JSON']],
    ]
    const wrong = described().filter(([, text, type]) =>
      types.some(([words, names]) => type !== undefined && words.test(text) && !names.includes(type)),
    )
    expect(wrong).toEqual([])
  })

  test('has one kind of connection, called after what it holds and paged both ways', () => {
    const connections = types.filter(({ name }) => name.endsWith('Connection'))
    expect(connections.length).toBeGreaterThan(5)
    for (const type of types)
      for (const field of fieldsOf(type)) {
        const { name } = getNamedType(field.type)
        if (!name.endsWith('Connection')) continue
        const edges = fieldsOf(getNamedType(field.type) as (typeof types)[number]).find((one) => one.name === 'edges')!
        const edge = getNamedType(edges.type) as (typeof types)[number]
        const node = getNamedType(fieldsOf(edge).find((one) => one.name === 'node')!.type)
        expect([name, edge.name]).toEqual([`${node.name}Connection`, `${node.name}Edge`])
        expect(fieldsOf(getNamedType(field.type) as (typeof types)[number]).map((one) => one.name)).toEqual(
          expect.arrayContaining(['edges', 'nodes', 'pageInfo', 'totalCount']),
        )
        expect(field.args.map((argument) => argument.name)).toEqual(
          expect.arrayContaining(['first', 'after', 'last', 'before']),
        )
      }
  })

  test('calls by their ids what `node` finds', () => {
    const nodes = types.filter((type) => isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node'))
    expect(nodes.map(({ name }) => name).sort()).toEqual([
      ...[
        'Account',
        'AccountVoice',
        'ApiKey',
        'Artifact',
        'AuditEntry',
        'CompanionChatJob',
        'CompanionMediaTagJob',
        'CompanionRetargetJob',
      ],
      ...[
        'CreditEntry',
        'GenerationJob',
        'Project',
        'User',
        'Voice',
        'VoiceEndpoint',
        'VoiceJob',
        'WebhookDelivery',
        'Worker',
      ],
      'Workflow',
    ])
  })

  test('says URL where an address stands', () => {
    const plain = types.flatMap((type) => [
      ...fieldsOf(type).flatMap((field) => [
        [`${type.name}.${field.name}`, field.type] as const,
        ...field.args.map((argument) => [`${type.name}.${field.name}(${argument.name})`, argument.type] as const),
      ]),
      ...(isInputObjectType(type)
        ? Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field.type] as const)
        : []),
    ])
    const named = plain
      .filter(([path]) => /url\)?$/i.test(path) && !path.startsWith('Mutation.setWebhookUrl'))
      .map(([path, type]) => [path, getNamedType(type).name])
    expect(named.filter(([, type]) => type !== 'URL')).toEqual([])
    expect(named.length).toBeGreaterThan(5)
  })

  test('says descriptions with a capital and a period', () => {
    expect(described().filter(([, text]) => !/^[A-Z`]/.test(text) || !/[.]$/.test(text))).toEqual([])
  })

  test('narrows lists by `filter`, never by `where`', () => {
    const named = members().filter(([path, { deprecationReason }]) => /[.(]where\b/.test(path) && !deprecationReason)
    expect(named.map(([path]) => path)).toEqual([])
  })

  test('ends the names of inputs in what they are', () => {
    const inputs = types.filter(isInputObjectType).map(({ name }) => name)
    expect(inputs.length).toBeGreaterThan(5)
    expect(inputs.filter((name) => !/(Filter|Input|Order|Options|Range)$/.test(name))).toEqual([])
  })

  test('names a successor that is there in the reason of each deprecation', () => {
    const paths = new Set(members().map(([path]) => path))
    const deprecated = members().filter(([, { deprecationReason }]) => deprecationReason != null)
    expect(deprecated.length).toBeGreaterThan(10)
    const isThere = (path: string, word: string): boolean => {
      const [type = '', field = ''] = path.split(/[.(]/)
      return [
        word,
        `${type}.${word}`,
        `${type}.${field}(${word})`,
        `Query.${word}`,
        `Mutation.${word}`,
        `Subscription.${word}`,
      ].some((name) => paths.has(name) && name !== path)
    }
    const without = deprecated.filter(([path, { deprecationReason }]) => {
      const quoted = [...deprecationReason!.matchAll(/`([^`]+)`/g)].flatMap(
        ([, text]) => text!.match(/[A-Za-z.]+/g) ?? [],
      )
      return !quoted.some((word) => isThere(path, word))
    })
    expect(without.map(([path, { deprecationReason }]) => `${path}: ${deprecationReason}`)).toEqual([])
  })

  test('has an edge beside each id of another object', () => {
    const alone = types.flatMap((type) =>
      fieldsOf(type).flatMap(({ name, deprecationReason }) => {
        const [, edge] = /^(.+)Id$/.exec(name) ?? []
        const isAlone = edge !== undefined && !fieldsOf(type).some((field) => field.name === edge)
        return isAlone && deprecationReason == null ? [`${type.name}.${name}`] : []
      }),
    )
    const exceptions = [
      // Its edges are `apiKey` and `user`.
      'Actor.callerId',
      // An object of any type, which may be gone: `node` finds it.
      'AuditEntry.subjectId',
      // The types of the interface have `job`, each of a type of its own.
      'CompanionAnswer.jobId',
      // A chat, a request and a job of a provider are no objects of the schema.
      ...['CompanionChatAnswer.chatId', 'CompanionChatJob.chatId', 'CompanionRetargetAnswer.chatId'],
      ...['CompanionRetargetJob.chatId', 'GenerationJob.providerJobId', 'JobResult.chatId', 'RequestError.requestId'],
    ]
    expect(alone.sort()).toEqual(exceptions)
  })

  test('calls an argument that is an id `id`, and one that takes a name as well by the object', () => {
    const other = types.flatMap((type) =>
      fieldsOf(type).flatMap(({ name: field, args }) =>
        args.flatMap(({ name, type: of, description, deprecationReason }) => {
          const isId = getNamedType(of).name === 'ID' && deprecationReason == null && name !== 'id' && name !== 'ids'
          const isNamed = /^Id or (name|e-mail address) of /.test(description ?? '')
          return isId && !isNamed ? [`${type.name}.${field}(${name})`] : []
        }),
      ),
    )
    // Neither a chat nor a place in a list is an object of the schema; a take is called by its job.
    expect(other.sort()).toEqual([
      'Mutation.chatWithCompanion(chatId)',
      'Mutation.chooseTake(job)',
      'Mutation.redeliverWebhooks(after)',
      'Mutation.retargetCompanion(chatId)',
    ])
  })

  test('answers each mutation with an object that has an id, or that leads to one', () => {
    type Type = (typeof types)[number]
    const leads = (type: Type, steps: number): boolean =>
      fieldsOf(type).some(
        ({ name, type: of }) => name === 'id' || (steps > 0 && leads(getNamedType(of) as Type, steps - 1)),
      )
    const mutations = fieldsOf(types.find(({ name }) => name === 'Mutation')!)
    const without = mutations.filter(({ type }) => {
      const union = getNamedType(type)
      const results = isUnionType(union) ? union.getTypes().filter(({ name }) => name !== 'RequestError') : []
      return results.length === 0 || !results.every((one) => leads(one as Type, 2))
    })
    // They change no object that a caller can read.
    expect(without.map(({ name }) => name).sort()).toEqual([
      'checkEngine',
      'createSignInLink',
      'hearEngine',
      'proposeEngine',
      'reauthenticate',
      'signOut',
    ])
  })

  test('answers each deletion with the id of what is gone', () => {
    const deletions = types.filter(({ name }) => /^(Delete|End)\w+Success$/.test(name))
    expect(deletions.length).toBeGreaterThan(4)
    const nameIds = (type: (typeof types)[number], steps: number): boolean =>
      fieldsOf(type).some(
        ({ name, type: of }) =>
          name === 'id' || (steps > 0 && name === 'results' && nameIds(getNamedType(of) as (typeof types)[number], 0)),
      )
    expect(deletions.filter((type) => !nameIds(type, 1)).map(({ name }) => name)).toEqual([])
  })
})

interface Member {
  readonly deprecationReason?: string | null | undefined
}

/** Fields, arguments and fields of inputs by their paths: `Query.job`, `Query.job(id)`, `JobsFilter.ids`. */
function members(): (readonly [string, Member])[] {
  return types.flatMap((type) => [
    ...fieldsOf(type).flatMap((field) => [
      [`${type.name}.${field.name}`, field] as const,
      ...field.args.map((argument) => [`${type.name}.${field.name}(${argument.name})`, argument] as const),
    ]),
    ...(isInputObjectType(type)
      ? Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const)
      : []),
  ])
}
