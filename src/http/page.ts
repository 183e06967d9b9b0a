import type { FastifyInstance, FastifyReply } from 'fastify'
import { notFound } from '../errors/service-error.ts'
import { ServedFile, sendFile } from './served-file.ts'

/** Their names change with their content. */
const FOR_EVER = 'public, max-age=31536000, immutable'
const REVALIDATED = 'no-cache'

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** What a page is made of. */
export interface PageParts {
  /** By their plain names, such as `start.js`. */
  readonly files: Readonly<Record<string, string | Buffer>>
  /** The HTML; `link` gives a file's address, relative to a page in the folder that holds its files' folder. */
  readonly html: (link: (name: string) => string) => string
  /** The page's Content-Security-Policy. */
  readonly policy: string
}

/** A page that is served whole: a browser loads nothing of it from another origin. */
export interface Page {
  send(reply: FastifyReply): Promise<FastifyReply>
}

interface Made {
  readonly html: ServedFile
  readonly policy: string
  readonly files: ReadonlyMap<string, ServedFile>
}

/**
 * A page and the route of its files, `<folder>/files/<name>`. It is made for the first caller that asks for any part of it: a browser may
 * have the page from another process than its files.
 */
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
  }
}

function assemble(folder: string, { files, html, policy }: PageParts): Made {
  const served = new Map<string, ServedFile>()
  const links = new Map<string, string>()
  for (const [name, content] of Object.entries(files)) {
    const [stem = '', extension = ''] = name.split(/\.(?=\w+$)/)
    const file = new ServedFile(TYPES[extension] ?? 'application/octet-stream', content)
    const named = `${stem}.${file.hash}.${extension}`
    served.set(named, file)
    links.set(name, `${folder.slice(folder.lastIndexOf('/') + 1)}/files/${named}`)
  }
  const link = (name: string): string => links.get(name) ?? name
  return { html: new ServedFile('text/html; charset=utf-8', html(link)), policy, files: served }
}
