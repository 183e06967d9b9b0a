/** What the work comes to. @throws Error with the reason, once it has taken longer */
export async function within<T>(ms: number, work: Promise<T>, reason: string): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(reason)), ms)
  return Promise.race([work, over]).finally(() => clearTimeout(timer))
}
