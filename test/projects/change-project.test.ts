import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { ask, codeOf, errorOf, type GraphqlAnswer, REFUSED, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { type Users, usersOf } from '../setup/service/users.ts'

const CONFLICT = '... on ProjectConflictError { message savedBy project { id revision name } }'
const WHOLE = `id name revision characters paragraphCount updatedBy settings { endpoint voice inputs pauseMs }
  speakers { name settings { voice } }
  chapters { key title characters settings { voice } paragraphs { key text speaker settings { voice pauseMs } } }
  versions { revision name savedBy characters }`
const CONTENT = '$settings: SpeechSettingsInput, $speakers: [ProjectSpeakerInput!], $chapters: [ProjectChapterInput!]'
const PASSED = 'settings: $settings, speakers: $speakers, chapters: $chapters'
const CREATE = `mutation ($name: String!, ${CONTENT}) {
  createProject(name: $name, ${PASSED}) { __typename ... on Project { ${WHOLE} } ${REFUSED} } }`
const SAVE = `mutation ($id: ID!, $revision: Int!, $name: String, ${CONTENT}) {
  saveProject(id: $id, revision: $revision, name: $name, ${PASSED}) {
    __typename ... on Project { ${WHOLE} } ${CONFLICT} ${REFUSED} } }`
const RESTORE = `mutation ($id: ID!, $revision: Int!, $version: Int!) {
  restoreProjectVersion(id: $id, revision: $revision, version: $version) {
    __typename ... on Project { ${WHOLE} } ${CONFLICT} ${REFUSED} } }`
const DELETE = `mutation ($id: ID!) { deleteProject(id: $id) { ... on DeleteProjectSuccess { id } ${REFUSED} } }`
const READ = `query ($id: ID!) { project(id: $id) { ${WHOLE} } }`

interface Project {
  readonly __typename?: string
  readonly id: string
  readonly revision: number
  readonly [field: string]: unknown
}

let service: TestRuntime
let users: Users
let [key, account] = ['', '']
beforeAll(async () => {
  service = await startTestRuntime()
  users = usersOf(service)
  const caller = await service.createCaller()
  ;({ key, account } = caller)
})
afterAll(() => service?.close())

type Answer = GraphqlAnswer<Record<string, Project>>
const by =
  (caller: string) =>
  (query: string, variables: object): Promise<Answer> =>
    caller.startsWith('sk_') || !caller.includes('=')
      ? ask(service.url, caller, query, variables)
      : (users.ask(query, variables, caller) as Promise<Answer>)
const first = ({ data, errors }: Answer): Project => {
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return Object.values(data!)[0]!
}
const create = async (input: object = {}, caller = key) =>
  first(await by(caller)(CREATE, { name: 'A Christmas Carol', ...input }))
const save = async (input: object, caller = key) => first(await by(caller)(SAVE, input))
const paragraph = (at: string, text = `Text of ${at}.`) => ({ key: at, text })
const chapter = (at: string, paragraphs: object[] = [paragraph(`${at}-p`)]) => ({ key: at, title: at, paragraphs })
const detailsOf = (answer: Project) => (answer.details as { path: string; message: string }[]).map(({ path }) => path)

describe('a project', () => {
  test('is read as it was made, by the key and by the people of its account', async () => {
    const made = await create({
      settings: { endpoint: 'tts', voice: 'aria', inputs: { speed: 1.5 }, pauseMs: 700 },
      speakers: [{ name: 'SCROOGE', settings: { voice: 'leo' } }],
      chapters: [
        {
          ...{ key: 'c1', title: 'Marley', settings: { voice: 'clara' } },
          paragraphs: [
            paragraph('p1', 'Dead. 😀'),
            { ...paragraph('p2', 'Bah!'), speaker: 'SCROOGE', settings: { pauseMs: 0 } },
          ],
        },
        chapter('c2', []),
      ],
    })
    const own = { voice: null, pauseMs: null }
    expect(made).toMatchObject({
      ...{ __typename: 'Project', name: 'A Christmas Carol', revision: 1, characters: 11, paragraphCount: 2 },
      settings: { endpoint: 'tts', voice: 'aria', inputs: { speed: 1.5 }, pauseMs: 700 },
      speakers: [{ name: 'SCROOGE', settings: { voice: 'leo' } }],
      chapters: [
        {
          ...{ key: 'c1', title: 'Marley', characters: 11, settings: { voice: 'clara' } },
          paragraphs: [
            { key: 'p1', text: 'Dead. 😀', speaker: null, settings: own },
            { key: 'p2', text: 'Bah!', speaker: 'SCROOGE', settings: { voice: null, pauseMs: 0 } },
          ],
        },
        { key: 'c2', title: 'c2', characters: 0, settings: { voice: null }, paragraphs: [] },
      ],
      versions: [],
    })
    const { cookie } = await users.user('member', account)
    const { __typename, ...shown } = made
    expect(first(await by(cookie)(READ, { id: made.id }))).toEqual(shown)
    expect(first(await by(key)('query ($id: ID!) { node(id: $id) { __typename id } }', { id: made.id }))).toEqual({
      __typename: 'Project',
      id: made.id,
    })
  })

  test('of another account looks like a missing one, whatever is asked of it', async () => {
    const { id, revision } = await create()
    const stranger = (await service.createCaller()).account
    const other = by((await service.createKey(stranger, ['generate:voice', 'job:read', 'account:admin'])).apiKey)
    expect((await other(READ, { id })).data).toEqual({ project: null })
    expect((await other('query ($id: ID!) { node(id: $id) { id } }', { id })).data).toEqual({ node: null })
    for (const [query, more] of [
      [SAVE, { revision }],
      [RESTORE, { revision, version: 1 }],
      [DELETE, {}],
    ] as const)
      for (const named of [id, 'prj_nothing', 'x'])
        expect(codeOf(await other(query, { id: named, ...more }))).toBe('NOT_FOUND')
    expect((await by(key)(READ, { id })).data).toMatchObject({ project: { revision } })
  })

  test('needs the scope job:read to be read, generate:voice as well to be changed, and account:admin to be deleted', async () => {
    const { id, revision } = await create()
    const reader = by((await service.createKey(account, ['job:read'])).apiKey)
    const writer = by((await service.createKey(account, ['generate:voice'])).apiKey)
    expect(codeOf(await writer(READ, { id }))).toBe('FORBIDDEN')
    expect(codeOf(await by(key)(DELETE, { id }))).toBe('FORBIDDEN')
    for (const [query, more] of [
      [CREATE, { name: 'No' }],
      [SAVE, { revision }],
      [RESTORE, { revision, version: 1 }],
      [DELETE, {}],
    ] as const)
      for (const ask of [reader, writer]) expect(codeOf(await ask(query, { id, ...more }))).toBe('FORBIDDEN')
    // The conflict would answer the whole text.
    expect(codeOf(await writer(SAVE, { id, revision: 99 }))).toBe('FORBIDDEN')
    expect(first(await reader(READ, { id })).revision).toBe(1)
    expect((await save({ id, revision })).revision).toBe(2)
  })

  test('is found by a part of its name, last changed first, page by page', async () => {
    const caller = (await service.createCaller()).key
    const ids: string[] = []
    for (const name of ['One 100%', 'Two Ärger', 'One hundred', 'Three one'])
      ids.push((await create({ name }, caller)).id)
    await save({ id: ids[0], revision: 1 }, caller)
    const list = async (args: string) => {
      const query = `{ projects(${args}) { totalCount nodes { id } pageInfo { hasNextPage hasPreviousPage } } }`
      const { projects } = await read<{ projects: { totalCount: number; nodes: Project[]; pageInfo: object } }>(
        ...([service.url, caller, query] as const),
      )
      return { ...projects, nodes: projects.nodes.map((node) => ids.indexOf(node.id)) }
    }
    expect((await list('first: 10')).nodes).toEqual([0, 3, 2, 1])
    expect(await list('first: 2')).toMatchObject({ totalCount: 4, nodes: [0, 3], pageInfo: { hasNextPage: true } })
    expect(await list(`first: 2, after: "${ids[3]}"`)).toMatchObject({
      nodes: [2, 1],
      pageInfo: { hasNextPage: false },
    })
    expect(await list('last: 1')).toMatchObject({ nodes: [1], pageInfo: { hasPreviousPage: true } })
    expect((await list(`last: 5, before: "${ids[2]}"`)).nodes).toEqual([0, 3])
    expect((await list('search: "ONE"')).nodes).toEqual([0, 3, 2])
    expect((await list('search: "100%"')).nodes).toEqual([0])
    for (const part of ['ärger', 'ÄRGER', 'ärger'.normalize('NFD')])
      expect((await list(`search: "${part}"`)).nodes).toEqual([1])
  })

  test('that a person of the account deletes, or a key with account:admin, is gone with its versions, and audited', async () => {
    const { id } = await create()
    const { cookie, email } = await users.user('member', account)
    await save({ id, revision: 1 }, cookie)
    expect(first(await by(cookie)(DELETE, { id }))).toEqual({ id })
    const audited = await service.runtime.db.pool.query(
      'select action, subject_name, actor_name from audit_entry where subject_id = $1',
      [id],
    )
    expect(audited.rows).toEqual([{ action: 'project_deleted', subject_name: 'A Christmas Carol', actor_name: email }])
    const admin = (await service.createKey(account, ['account:admin'])).apiKey
    expect(codeOf(await by(admin)(DELETE, { id }))).toBe('NOT_FOUND')
    const spare = await create()
    expect(first(await by(admin)(DELETE, { id: spare.id }))).toEqual({ id: spare.id })
    expect((await by(key)(READ, { id })).data).toEqual({ project: null })
    const { rows } = await service.runtime.db.pool.query('select from project_version where project_id = $1', [id])
    expect(rows).toEqual([])
  })
})

describe('a save', () => {
  test('leaves what it does not name, and the text of chapters that it names by key', async () => {
    const chapters = ['a', 'b', 'c'].map((at) => ({ ...chapter(at), settings: { voice: 'aria' } }))
    const made = await create({ settings: { endpoint: 'tts' }, chapters })
    const later = await save({
      ...{ id: made.id, revision: 1 },
      chapters: [
        { key: 'c' },
        { key: 'a', title: 'New', settings: null, paragraphs: [paragraph('a-q')] },
        chapter('d'),
      ],
    })
    expect(later).toMatchObject({ revision: 2, name: made.name, settings: { endpoint: 'tts' } })
    const shown = later.chapters as { key: string; title: string; settings: object; paragraphs: { key: string }[] }[]
    expect(shown.map((one) => [one.key, one.title, one.settings, one.paragraphs.map((each) => each.key)])).toEqual([
      ['c', 'c', { voice: 'aria' }, ['c-p']],
      ['a', 'New', { voice: null }, ['a-q']],
      ['d', 'd', { voice: null }, ['d-p']],
    ])
    const cleared = await save({ id: made.id, revision: 2, settings: null, name: 'Other' })
    expect(cleared).toMatchObject({ name: 'Other', settings: { endpoint: null }, paragraphCount: 3 })
  })

  test('of a revision that another person has saved meanwhile is told who, and overwrites nothing', async () => {
    const { id } = await create()
    const ann = await users.user('member', account)
    await save({ id, revision: 1, name: "Ann's" }, ann.cookie)
    const late = await save({ id, revision: 1, name: 'Late' })
    expect(late).toEqual({
      __typename: 'ProjectConflictError',
      message: 'Somebody else has saved this project since you read it: nothing of yours was saved.',
      savedBy: ann.email,
      project: { id, revision: 2, name: "Ann's" },
    })
    expect(first(await by(key)(RESTORE, { id, revision: 1, version: 1 })).__typename).toBe('ProjectConflictError')
    expect(first(await by(key)(READ, { id }))).toMatchObject({ revision: 2, name: "Ann's" })
  })

  test('wins alone, however many come at once', async () => {
    const { id } = await create({ chapters: [chapter('a')] })
    const saves = await Promise.all(
      Array.from({ length: 12 }, (_, at) =>
        save({ id, revision: 1, name: `Save ${at}`, chapters: [{ key: 'a', paragraphs: [paragraph(`p${at}`)] }] }),
      ),
    )
    const winners = saves.filter((one) => one.__typename === 'Project')
    expect(winners).toHaveLength(1)
    expect(saves.filter((one) => one.__typename === 'ProjectConflictError')).toHaveLength(11)
    const { __typename, ...won } = winners[0]!
    expect(first(await by(key)(READ, { id }))).toEqual(won)
    expect(won.revision).toBe(2)
  })

  test('of a whole chapter of 150,000 characters in 2,000 paragraphs gets through', async () => {
    const { id } = await create()
    const lines = Array.from({ length: 2000 }, (_, at) => ({
      ...{ ...paragraph(`paragraph-${at}`, '\u00e9'.repeat(75)), speaker: 'ANNA', settings: { pauseMs: at } },
    }))
    const saved = await save({ id, revision: 1, speakers: [{ name: 'ANNA' }], chapters: [chapter('long', lines)] })
    expect(saved).toMatchObject({ revision: 2, characters: 150_000, paragraphCount: 2000 })
    expect((saved.chapters as { paragraphs: object[] }[])[0]!.paragraphs).toHaveLength(2000)
    const both = await save({ id, revision: 2, chapters: [{ key: 'long' }, chapter('short')] }).catch(String)
    expect(both).toContain('Ask for fewer chapters at once')
    const one = 'query ($id: ID!) { project(id: $id) { chapters(keys: ["short"]) { key paragraphs { key } } } }'
    expect(first(await by(key)(one, { id })).chapters).toEqual([{ key: 'short', paragraphs: [{ key: 'short-p' }] }])
  })
})

describe('versions', () => {
  const later = (minutes: number, id: string) =>
    service.runtime.db.pool.query(
      'update project set held_since = held_since - make_interval(mins => $2) where id = $1',
      [id, minutes],
    )
  const versions = async (id: string) =>
    (first(await by(key)(READ, { id })).versions as { revision: number; name: string }[]).map(
      ({ revision, name }) => [revision, name] as const,
    )

  test('are kept when another person saves, or five minutes later, and come back by a restore', async () => {
    const { id } = await create({ name: 'A', chapters: [chapter('one')] })
    await save({ id, revision: 1, name: 'B' })
    expect(await versions(id)).toEqual([])
    const { cookie } = await users.user('member', account)
    await save({ id, revision: 2, name: 'C', chapters: [] }, cookie)
    expect(await versions(id)).toEqual([[2, 'B']])
    await save({ id, revision: 3, name: 'D' }, cookie)
    await later(6, id)
    await save({ id, revision: 4, name: 'E' }, cookie)
    expect(await versions(id)).toEqual([
      [4, 'D'],
      [2, 'B'],
    ])
    const content = 'query ($id: ID!) { project(id: $id) { versions(revision: 2) { savedBy chapters { key } } } }'
    expect(first(await by(key)(content, { id })).versions).toEqual([{ savedBy: 'test', chapters: [{ key: 'one' }] }])
    const restored = first(await by(cookie)(RESTORE, { id, revision: 5, version: 2 }))
    expect(restored).toMatchObject({ revision: 6, name: 'B', characters: 14, chapters: [{ key: 'one' }] })
    expect(await versions(id)).toEqual([
      [5, 'E'],
      [4, 'D'],
      [2, 'B'],
    ])
    expect(errorOf(await by(key)(RESTORE, { id, revision: 6, version: 3 }))?.details[0]?.path).toBe('/version')
  })

  test('stay when two people save in turn, because each of them leaves one in five minutes', async () => {
    const { id } = await create({ name: 'Original' })
    const { cookie } = await users.user('member', account)
    for (let revision = 1; revision <= 40; revision++)
      await save({ id, revision, name: `Save ${revision + 1}` }, revision % 2 === 1 ? cookie : key)
    expect(await versions(id)).toEqual([
      [2, 'Save 2'],
      [1, 'Original'],
    ])
    await later(6, id)
    await save({ id, revision: 41, name: 'Last' })
    expect((await versions(id)).map(([revision]) => revision)).toEqual([41, 2, 1])
  })

  test('are the newest thirty', async () => {
    const { id } = await create({ name: 'Save 1' })
    for (let revision = 1; revision <= 32; revision++) {
      await later(6, id)
      await save({ id, revision, name: `Save ${revision + 1}` })
    }
    const kept = await versions(id)
    expect(kept).toHaveLength(30)
    expect([kept[0], kept.at(-1)]).toEqual([
      [32, 'Save 32'],
      [3, 'Save 3'],
    ])
  })
})

describe('what is wrong with a project', () => {
  const long = (length: number) => 'a'.repeat(length)
  test.each<[string, object, string[]]>([
    ['an empty name', { name: ' ' }, ['/name']],
    ['a long name', { name: long(201) }, ['/name']],
    ['a speaker twice', { speakers: [{ name: 'A' }, { name: 'A' }] }, ['/speakers/1/name']],
    ['101 speakers', { speakers: Array.from({ length: 101 }, (_, at) => ({ name: `${at}` })) }, ['/speakers']],
    ['an unknown endpoint', { settings: { endpoint: 'nowhere' } }, ['/settings/endpoint']],
    ['an unknown voice', { settings: { endpoint: 'tts', voice: 'nobody' } }, ['/settings/voice']],
    [
      'an unknown voice of an inherited endpoint',
      {
        settings: { endpoint: 'tts' },
        speakers: [{ name: 'A', settings: { voice: 'nobody' } }],
        chapters: [chapter('a', [{ ...paragraph('p'), settings: { voice: 'none' } }])],
      },
      ['/speakers/0/settings/voice', '/chapters/0/paragraphs/0/settings/voice'],
    ],
    ['endpoints and voices of 201 letters', { settings: { voice: long(201) } }, ['/settings/voice']],
    ['a negative pause', { settings: { pauseMs: -1 } }, ['/settings/pauseMs']],
    ['inputs that are a list', { settings: { inputs: [1] } }, ['/settings/inputs']],
    ['a text among the inputs', { settings: { inputs: { text: 'Hi.' } } }, ['/settings/inputs/text']],
    [
      'keys twice, and of other characters',
      { chapters: [chapter('a', [paragraph('p'), paragraph('p')]), chapter('b', [paragraph('p')]), chapter('a b')] },
      [
        '/chapters/0/paragraphs/1/key',
        '/chapters/1/paragraphs/0/key',
        '/chapters/2/key',
        '/chapters/2/paragraphs/0/key',
      ],
    ],
    ['a chapter twice', { chapters: [chapter('a'), { ...chapter('a', []) }] }, ['/chapters/1/key']],
    [
      'an unknown speaker, and texts that are none',
      {
        chapters: [
          chapter('a', [{ ...paragraph('p'), speaker: 'NOBODY' }, paragraph('q', ' \n'), paragraph('r', long(10_001))]),
        ],
      },
      ['/chapters/0/paragraphs/0/speaker', '/chapters/0/paragraphs/1/text', '/chapters/0/paragraphs/2/text'],
    ],
    ['501 chapters', { chapters: Array.from({ length: 501 }, (_, at) => chapter(`c${at}`, [])) }, ['/chapters']],
    ['a chapter without a text that the project has none of', { chapters: [{ key: 'a' }] }, ['/chapters/0/paragraphs']],
  ])('is said with its place: %s', async (_title, input, paths) => {
    const refused = await create(input)
    expect([refused.__typename, refused.code]).toEqual(['RequestError', 'INVALID_REQUEST'])
    expect(detailsOf(refused)).toEqual(paths)
    const { id } = await create()
    if (paths[0] !== '/chapters/0/paragraphs')
      expect(detailsOf(await save({ id, revision: 1, ...input }))).toEqual(paths)
  })

  test('is said when a speaker goes of whom a chapter speaks', async () => {
    const chapters = [chapter('a', [{ ...paragraph('p'), speaker: 'A' }])]
    const { id } = await create({ speakers: [{ name: 'A' }], chapters })
    expect(detailsOf(await save({ id, revision: 1, speakers: [] }))).toEqual(['/chapters/0/paragraphs/0/speaker'])
  })

  test('is no endpoint or voice that is gone: the project is read and saved', async () => {
    await applyEndpoint(service.runtime, 'going')
    const settings = { endpoint: 'going', voice: 'calm' }
    const chapters = [chapter('a', [{ ...paragraph('p'), settings: { voice: 'calm' } }])]
    const { id } = await create({ settings, chapters })
    await service.runtime.db.pool.query(`update voice_endpoint set published = false where slug = 'going'`)
    await service.runtime.catalog.reload()
    expect((await create({ settings })).code).toBe('INVALID_REQUEST')
    expect(first(await by(key)(READ, { id }))).toMatchObject({ settings })
    expect(await save({ id, revision: 1, settings, chapters, name: 'Still' })).toMatchObject({
      revision: 2,
      name: 'Still',
    })
    expect(detailsOf(await save({ id, revision: 2, settings: { endpoint: 'other' } }))).toEqual(['/settings/endpoint'])
  })

  test('is no voice that an endpoint above does not have any more: the text is saved', async () => {
    for (const slug of ['tall', 'small'])
      await applyEndpoint(
        service.runtime,
        slug,
        {},
        { voices: [{ slug, name: slug, kind: 'preset', engine_voice: 'en-us' }] },
      )
    const voiced = { ...paragraph('p'), settings: { voice: 'tall' } }
    const { id } = await create({ settings: { endpoint: 'tall' }, chapters: [chapter('a', [voiced])] })
    const sent = { settings: { endpoint: 'small' }, chapters: [chapter('a', [{ ...voiced, text: 'Other.' }])] }
    expect(await save({ id, revision: 1, ...sent })).toMatchObject({ revision: 2, settings: { endpoint: 'small' } })
    const fresh = [chapter('a', [{ ...voiced, settings: { voice: 'nobody' } }])]
    expect(detailsOf(await save({ id, revision: 2, chapters: fresh }))).toEqual([
      '/chapters/0/paragraphs/0/settings/voice',
    ])
  })

  test('is more than a million characters of settings, also by chapters', async () => {
    const settings = { inputs: { note: long(1900) } }
    const lines = (at: string) => Array.from({ length: 270 }, (_, n) => ({ ...paragraph(`${at}${n}`), settings }))
    const { id } = await create({ chapters: [chapter('a', lines('a'))] })
    expect(detailsOf(await save({ id, revision: 1, chapters: [{ key: 'a' }, chapter('b', lines('b'))] }))).toEqual([
      '/chapters',
    ])
  })

  test('is a two hundred and first one of an account', async () => {
    const caller = await service.createCaller()
    await service.runtime.db.pool.query(
      `insert into project (id, account_id, name, settings, speakers, chapters, characters, paragraphs, created_at, updated_at, held_since)
       select 'prj_' || n, $1, 'x', '{}', '[]', '[]', 0, 0, now(), now(), now() from generate_series(1, 199) n`,
      [caller.account],
    )
    const made = await Promise.all(Array.from({ length: 4 }, () => create({}, caller.key)))
    expect(made.map((one) => one.code ?? 'made').sort()).toEqual([
      'INVALID_REQUEST',
      'INVALID_REQUEST',
      'INVALID_REQUEST',
      'made',
    ])
  })
})
