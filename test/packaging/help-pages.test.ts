import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readHelp } from '../../packaging/help-pages.ts'
import type { Block, Inline } from '../../src/console/help/pages.ts'

const NOT_FOR_USERS = ['README', 'architecture', 'contributing']

const help = readHelp()
const names = help.groups.flatMap(({ entries }) => entries.map(({ name }) => name))

test('each page of docs/ for users is a page of help, with a title', () => {
  const files = readdirSync(new URL('../../docs', import.meta.url)).filter((file) => file.endsWith('.md'))
  const written = files.map((file) => file.replace('.md', ''))
  expect([...NOT_FOR_USERS, ...names].toSorted()).toEqual(written.toSorted())
  const titles = help.groups.flatMap(({ entries }) => entries.map(({ title }) => title))
  expect(titles.filter((title) => title === '')).toEqual([])
})

test('every link of a page leads to a heading of help or to another site', () => {
  const places = new Set(names.flatMap((name) => [name, ...headingsOf(help.blocks(name)).map((id) => `${name}#${id}`)]))
  const links = names.flatMap((name) =>
    linksIn(help.blocks(name)).map((href) => (href.startsWith('#') ? name + href : href)),
  )
  expect(links.length).toBeGreaterThan(100)
  expect(links.filter((href) => !/^https?:\/\//.test(href) && !places.has(href))).toEqual([])
})

test('marks, entities and breaks come as parts, and what help cannot show is refused', () => {
  const read = (text: string) => (name: string) =>
    name === 'README' ? '| To begin | |\n|---|---|\n| [P](p.md) | |' : text
  const { groups, blocks } = readHelp(
    read('# `p` &amp; more\n\n**Bold** [file](../a.ts) [p](p.md#x)\n\n| a&lt;b<br>c |\n|---|\n'),
  )
  expect(groups).toEqual([{ title: 'To begin', entries: [{ name: 'p', title: 'p & more', headings: [] }] }])
  expect(blocks('p').slice(1)).toEqual([
    {
      kind: 'paragraph',
      of: [{ kind: 'strong', of: ['Bold'] }, ' ', 'file', ' ', { kind: 'link', href: 'p#x', of: ['p'] }],
    },
    { kind: 'table', head: [['a<b', { kind: 'break' }, 'c']], rows: [] },
  ])
  expect(() => readHelp(read('# P\n\n<script>x</script>'))).toThrow('html')
})

const headingsOf = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) => (block.kind === 'heading' ? [block.id] : []))

const linksIn = (parts: unknown): string[] => {
  if (Array.isArray(parts)) return parts.flatMap(linksIn)
  if (typeof parts !== 'object' || parts === null) return []
  const own = (parts as Exclude<Inline, string>).kind === 'link' ? [(parts as { href: string }).href] : []
  return [...own, ...Object.values(parts).flatMap(linksIn)]
}
