import type { Connection, PageInput } from '../db/page.ts'

const PAGE_SIZE = 100

export async function everyPage<Node>(
  read: (page: PageInput) => Connection<Node> | Promise<Connection<Node>>,
): Promise<Node[]> {
  const nodes: Node[] = []
  let after: string | null = null
  do {
    const { edges, pageInfo }: Connection<Node> = await read({ first: PAGE_SIZE, after })
    nodes.push(...edges.map(({ node }) => node))
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null
  } while (after !== null)
  return nodes
}
