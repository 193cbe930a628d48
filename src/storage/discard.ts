/**
 * Removes an object that is on the garbage list already. Only the first try: when R2 is out of reach, or a PUT
 * under way creates the object again, the scheduled job still removes it, so nothing depends on this.
 */
export async function discard(bucket: R2Bucket, object_key: string): Promise<void> {
  try {
    await bucket.delete(object_key)
  } catch (error) {
    console.warn(
      JSON.stringify({ message: 'object left to the scheduled job', object_key, error: String(error) }),
    )
  }
}
