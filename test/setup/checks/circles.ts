/** The groups of two and more nodes that reach each other by `edges`, each group in alphabetical order: Tarjan's algorithm. */
export function circlesOf(edges: readonly (readonly [string, string])[]): string[][] {
  const targets = Map.groupBy(edges, ([from]) => from)
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const circles: string[][] = []
  const visit = (node: string): void => {
    order.set(node, order.size)
    lowest.set(node, order.get(node)!)
    stack.push(node)
    for (const [, next] of targets.get(node) ?? []) {
      if (!order.has(next)) visit(next)
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node)!, lowest.get(next)!))
    }
    if (lowest.get(node) !== order.get(node)) return
    const group = stack.splice(stack.indexOf(node)).sort()
    if (group.length > 1) circles.push(group)
  }
  for (const [node] of edges) if (!order.has(node)) visit(node)
  return circles
}
