import type { FastifyInstance, FastifyReply } from 'fastify'
import { notFound } from '../errors/service-error.ts'
import { ServedFile, sendFile } from './served-file.ts'

const FOR_EVER = 'public, max-age=31536000, immutable'
const REVALIDATED = 'no-cache'

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
}

export interface PageParts {
  readonly files: Readonly<Record<string, string | Buffer>>
  readonly html: (link: (name: string) => string) => string
  /** More pages, `<folder>/<name>`. */
  readonly inside?: Readonly<Record<string, (link: (name: string) => string) => string>>
  readonly policy: string
}

export interface Page {
  send(reply: FastifyReply): Promise<FastifyReply>
  /** @throws NOT_FOUND */
  sendInside(reply: FastifyReply, name: string): Promise<FastifyReply>
}

interface Made {
  readonly html: ServedFile
  readonly inside: ReadonlyMap<string, ServedFile>
  readonly policy: string
  readonly files: ReadonlyMap<string, ServedFile>
}

/** Mounts `<folder>/files/<name>` and builds the page on first use; its files may come from another process. */
export function mountPage(app: FastifyInstance, folder: string, make: () => Promise<PageParts>): Page {
  let made: Promise<Made> | undefined
  const open = (): Promise<Made> => {
    made ??= make()
      .then((parts) => assemble(folder, parts))
      .catch((error) => {
        made = undefined
        throw error
      })
    return made
  }
  app.get<{ Params: { name: string } }>(`${folder}/files/:name`, async ({ params }, reply) => {
    const file = (await open()).files.get(params.name)
    if (file === undefined) throw notFound()
    return sendFile(reply, file, FOR_EVER)
  })
  return {
    send: async (reply) => {
      const { html, policy } = await open()
      return sendFile(reply.header('content-security-policy', policy), html, REVALIDATED)
    },
    sendInside: async (reply, name) => {
      const { inside, policy } = await open()
      const html = inside.get(name)
      if (html === undefined) throw notFound()
      return sendFile(reply.header('content-security-policy', policy), html, REVALIDATED)
    },
  }
}

function assemble(folder: string, { files, html, inside = {}, policy }: PageParts): Made {
  const served = new Map<string, ServedFile>()
  const links = new Map<string, string>()
  for (const [name, content] of Object.entries(files)) {
    const [stem = '', extension = ''] = name.split(/\.(?=\w+$)/)
    const file = new ServedFile(TYPES[extension] ?? 'application/octet-stream', content)
    const named = `${stem}.${file.hash}.${extension}`
    served.set(named, file)
    links.set(name, `files/${named}`)
  }
  const link = (name: string): string => links.get(name) ?? name
  const outside = (name: string): string => `${folder.slice(folder.lastIndexOf('/') + 1)}/${link(name)}`
  const pages = Object.entries(inside).map(([name, make]) => [name, asHtml(make(link))] as const)
  return { html: asHtml(html(outside)), inside: new Map(pages), policy, files: served }
}

const asHtml = (text: string): ServedFile => new ServedFile('text/html; charset=utf-8', text)
