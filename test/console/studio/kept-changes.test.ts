import { beforeAll, beforeEach, expect, test, vi } from 'vitest'

/** A page's or a browser's storage, whose own properties are the stored values, as in browsers. */
class Stored {
  [name: string]: unknown
  getItem(name: string) {
    return this[name] ?? null
  }
  setItem(name: string, text: string) {
    this[name] = text
  }
  removeItem(name: string) {
    delete this[name]
  }
}

const FILE = '../../../src/console/studio/editor/kept-changes.ts'
type Module = typeof import('../../../src/console/studio/editor/kept-changes.ts')
let signIn: (id: string) => void
let shared: Stored

/** A tab of the browser; loaded anew it keeps what it has. */
function tab(own = new Stored()) {
  const page = `${FILE}?${crypto.randomUUID()}`
  const use = async <Found>(call: (module: Module) => Found): Promise<Found> => {
    vi.stubGlobal('sessionStorage', own)
    return call(await import(page))
  }
  return {
    keep: (id: string, name: string | null) =>
      use(({ keepChanges }) => keepChanges(id, name === null ? null : { revision: 1, changes: { name } })),
    take: (id: string) => use(({ takeKeptChanges }) => takeKeptChanges(id)?.changes.name ?? null),
    reloaded: () => tab(own),
  }
}

beforeAll(async () => {
  vi.stubGlobal('document', { hidden: false })
  vi.stubGlobal('location', new URL('https://sonant.test/console'))
  vi.stubGlobal('addEventListener', () => {})
  const { session } = await import('../../../src/console/api/session.ts')
  signIn = (id) => {
    session.value = { user: { id } } as NonNullable<typeof session.value>
  }
})

beforeEach(() => {
  shared = new Stored()
  vi.stubGlobal('localStorage', shared)
  signIn('usr')
})

test('tabs keep the changes of their projects apart, and what one has saved is no more of the other’s', async () => {
  const [one, two] = [tab(), tab()]
  await one.keep('prj_a', 'A')
  await two.keep('prj_b', 'B')
  await two.keep('prj_a', 'A of two')
  await two.keep('prj_a', null)
  expect([await one.reloaded().take('prj_a'), await two.reloaded().take('prj_b')]).toEqual(['A', 'B'])
})

test('a tab that has crashed leaves its changes to the next one, once', async () => {
  await tab().keep('prj_a', 'A')
  const next = tab()
  expect([await next.take('prj_a'), await tab().take('prj_b')]).toEqual(['A', null])
  await next.keep('prj_a', null)
  expect([await tab().take('prj_a'), Object.keys(shared)]).toEqual([null, []])
})

test('a reload takes the tab’s own changes, and leaves nothing behind once they are saved', async () => {
  const [one, two] = [tab(), tab()]
  await one.keep('prj_a', 'A')
  await two.keep('prj_a', 'A of two')
  const again = one.reloaded()
  expect(await again.take('prj_a')).toBe('A')
  await again.keep('prj_a', null)
  expect(await two.reloaded().take('prj_a')).toBe('A of two')
})

test('another user finds nothing, and what was there is deleted', async () => {
  await tab().keep('prj_a', 'A')
  signIn('other')
  expect([await tab().take('prj_b'), Object.keys(shared)]).toEqual([null, []])
})
