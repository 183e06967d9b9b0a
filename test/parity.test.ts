import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Operation } from '../rest/operation.ts'
import { operations } from '../rest/operations.ts'
import { graphqlSchema } from '../src/graphql/schema.ts'

/** Operations without a root field of their name, each with its reason. */
const REST_ONLY: Readonly<Record<string, string>> = {
  exportJobs: 'a stream of CSV has no place in a GraphQL answer',
  changedJobs: 'neither has a stream of all changes: jobChanges follows them as they happen',
  settledEntries: 'neither has a stream of the ledger: creditEntries pages through it',
  usage: 'jobStats has more: usage is jobStats by day or hour as rows of a table',
  voiceJobCaptions: 'captions of VoiceJob are the same text',
  voiceJobAudio: 'neither has a file: audioUrl of VoiceJob says where it is',
  addVoice: 'files do not fit into a GraphQL body',
}

describe('the two doors', () => {
  const schema = graphqlSchema
  const fields = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() }
  const document = parse(readFileSync(new URL('../rest/openapi.yaml', import.meta.url), 'utf8'))
  const ids = Object.values<Record<string, { operationId?: string }>>(document.paths).flatMap((path) =>
    Object.values(path).flatMap((operation) => (operation.operationId === undefined ? [] : [operation.operationId])),
  )

  test('every documented operation is implemented, and nothing else is', () => {
    expect(Object.keys(operations).sort()).toEqual(ids.toSorted())
  })

  test.each(Object.entries<Operation>(operations))('%s has the name of its verb', (id, { verb }) => {
    expect(verb.name).toBe(id)
  })

  test.each(Object.entries<Operation>(operations).filter(([id]) => REST_ONLY[id] === undefined))(
    '%s is the same function behind REST and GraphQL',
    (id, { verb }) => {
      expect(fields[id]?.extensions.verb).toBe(verb)
    },
  )
})
