import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { blocksOf } from './setup/checks/blocks.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MAX_PROSE_CHARACTERS = 160

const TRACKED = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  .toString()
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)))
const DOCUMENTS = TRACKED.filter((file) => file.endsWith('.md'))
const ROOMS = ['rest', ...new Set(TRACKED.flatMap((file) => /^src\/[^/]+(?=\/)/.exec(file)?.[0] ?? []))]
const ROOM_READMES = ROOMS.map((room) => `${room}/README.md`)
/** The READMEs of rooms, of folders inside them, and of the other top folders. */
const READMES = TRACKED.filter((file) => /^(src|rest|prisma|test|bench|\.github)\/(.+\/)?README\.md$/.test(file))

describe('documents', () => {
  test('every room has a README', () => {
    expect(ROOM_READMES.filter((file) => !TRACKED.includes(file))).toEqual([])
  })

  test("the map in docs leads to each room, and a room's README to those of its folders", () => {
    expect(ROOM_READMES.filter((file) => !read('docs/architecture.md').includes(`(../${file})`))).toEqual([])
    const inside = READMES.filter((file) => !ROOM_READMES.includes(file))
    const roomOf = (file: string) => ROOM_READMES.find((readme) => file.startsWith(`${dirname(readme)}/`))
    const named = (file: string, room: string) => read(room).includes(relative(dirname(room), file))
    expect(inside.filter((file) => !named(file, roomOf(file) ?? 'docs/architecture.md'))).toEqual([])
  })

  test("the project's README and the first page of docs lead to every page", () => {
    const pages = DOCUMENTS.filter((file) => /^docs\/(?!README)[^/]+$/.test(file)).map((file) => basename(file))
    expect(pages.filter((page) => !read('README.md').includes(`(docs/${page}`))).toEqual([])
    expect(pages.filter((page) => !read('docs/README.md').includes(`(${page})`))).toEqual([])
  })

  test('the README of src/db names the migration that has the current text of each function that counts', () => {
    const named = [...read('src/db/README.md').matchAll(/((?:`count_[\w*]+`(?: and)?\s+)+)in\s+`(\d+_\w+)`/g)].flatMap(
      ([, patterns = '', migration]) => patternsIn(patterns).map((pattern) => ({ pattern, migration })),
    )
    const current = currentTexts()
    const found = Object.keys(current).map((name) => [name, named.find(({ pattern }) => pattern.test(name))?.migration])
    expect(Object.fromEntries(found)).toEqual(current)
  })

  test.each(DOCUMENTS)('every link, anchor and file that %s names is there', (document) => {
    const broken = linksOf(document).filter((link) => !leads(document, link))
    expect([...broken, ...namedPaths(document).filter((path) => !isThere(path, document))]).toEqual([])
  })

  test('a curl that saves its answer, or hands it on, saves no error', () => {
    const commands = DOCUMENTS.flatMap((file) =>
      blocksOf(file)
        .filter(({ language }) => language === 'sh')
        .flatMap(({ text }) => text.replaceAll('\\\n', ' ').match(/\bcurl .*/g) ?? []),
    )
    const saving = commands.filter((command) => / -o (?!\/dev\/null)| \| /.test(command))
    expect(saving.length).toBeGreaterThan(5)
    expect(saving.filter((command) => !/^curl -\w*f/.test(command))).toEqual([])
  })

  test.each(DOCUMENTS)('every script that %s names is one of its package.json', (document) => {
    const own = join(dirname(document), 'package.json')
    const { scripts } = JSON.parse(read(TRACKED.includes(own) ? own : 'package.json')) as { scripts: object }
    const named = [...read(document).matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })

  test.each(DOCUMENTS.filter((file) => !file.startsWith('.github/')))(
    'no line of prose in %s is longer than a screen',
    (document) => {
      const prose = read(document)
        .replace(/^```.*?^```$/gms, '')
        .split('\n')
      expect(prose.filter((line) => !line.startsWith('|') && line.length > MAX_PROSE_CHARACTERS)).toEqual([])
    },
  )
})

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

/** Targets of links and pictures within the repository. */
const linksOf = (document: string): string[] =>
  [...read(document).matchAll(/\]\((?!https?:)([^)]+)/g)].map(([, target = '']) => target)

function leads(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? document : join(dirname(document), path)
  if (!existsSync(join(ROOT, target))) return false
  return anchor === undefined || anchorsOf(target).includes(anchor)
}

/** As GitHub names the headings of a document. */
const anchorsOf = (document: string): string[] =>
  [...read(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  )

/** The last migration that makes each function `count_…`. */
function currentTexts(): Record<string, string> {
  const migrations = TRACKED.filter((file) => /^prisma\/migrations\/.*\/migration\.sql$/.test(file)).toSorted()
  const made = migrations.flatMap((file) =>
    [...read(file).matchAll(/^CREATE (?:OR REPLACE )?FUNCTION "(count_\w+)"/gm)].map(([, name]) => [name, file]),
  )
  return Object.fromEntries(made.map(([name, file = '']) => [name, basename(dirname(file))]))
}

const patternsIn = (text: string): RegExp[] =>
  [...text.matchAll(/`(\S+)`/g)].map(([, name = '']) => new RegExp(`^${name.replace('*', '\\w+')}$`))

/** Words in backticks that are paths: they end in a slash, or in what source files end in. */
function namedPaths(document: string): string[] {
  const words = [...read(document).matchAll(/`([^`\n]+)`/g)].flatMap(([, code = '']) => code.split(' '))
  const paths = words.filter((word) =>
    /^\w[\w@.-]*(\/[\w@.-]+)*(\/|\.(ts|js|mjs|py|sh|sql|yaml|md|graphql|prisma|service))$/.test(word),
  )
  // A bare name stands for a file next to the document; the project's own pages also speak of names in general.
  return /^(\.github|docs)$/.test(dirname(document)) ? paths.filter((path) => path.includes('/')) : paths
}

/** From the root, or from the folder of the document. */
function isThere(path: string, document: string): boolean {
  return [ROOT, join(ROOT, dirname(document))].some((base) => existsSync(join(base, path)))
}
