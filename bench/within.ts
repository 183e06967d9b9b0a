/** Resolves with the result of the work. @throws Error with the reason if the work takes longer than the limit */
export async function within<T>(ms: number, work: Promise<T>, reason: string): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(reason)), ms)
  return Promise.race([work, over]).finally(() => clearTimeout(timer))
}
