// A store of saves in IndexedDB for BrowserSaveStore.cs. Each function begins a request, whose state each frame asks for.
mergeInto(LibraryManager.library, {
  $edgeGameStorageStore: {
    last: 0,
    requests: {},
    databases: {},

    // Opens a database once, and again when the browser has closed it: the user may clear the data of the site.
    open: function (name) {
      var databases = edgeGameStorageStore.databases
      if (databases[name]) return databases[name]
      var forget = function () {
        delete databases[name]
      }
      databases[name] = new Promise(function (resolve, reject) {
        var request = indexedDB.open(name, 1)
        request.onupgradeneeded = function () {
          request.result.createObjectStore('values')
        }
        request.onerror = function () {
          reject(request.error)
        }
        request.onsuccess = function () {
          var database = request.result
          database.onclose = forget
          database.onversionchange = function () {
            database.close()
            forget()
          }
          resolve(database)
        }
      })
      databases[name].then(undefined, forget)
      return databases[name]
    },

    // A transaction that has ended is on the disk.
    begin: function (name, mode, act) {
      var id = ++edgeGameStorageStore.last
      var request = { state: 0, value: null, error: '' }
      edgeGameStorageStore.requests[id] = request
      var fail = function (error) {
        request.error = String(error)
        request.state = 2
      }
      edgeGameStorageStore
        .open(name)
        .then(function (database) {
          var transaction = database.transaction('values', mode, { durability: 'strict' })
          var asked = act(transaction.objectStore('values'))
          transaction.oncomplete = function () {
            request.value = asked.result
            request.state = 1
          }
          transaction.onabort = function () {
            fail(transaction.error)
          }
        })
        .then(undefined, fail)
      return id
    },
  },

  EdgeGameStorageStoreGet__deps: ['$edgeGameStorageStore'],
  EdgeGameStorageStoreGet: function (name, key) {
    var text = UTF8ToString(key)
    return edgeGameStorageStore.begin(UTF8ToString(name), 'readonly', function (values) {
      return values.get(text)
    })
  },

  EdgeGameStorageStoreSet__deps: ['$edgeGameStorageStore'],
  EdgeGameStorageStoreSet: function (name, key, value, length) {
    var text = UTF8ToString(key)
    var bytes = HEAPU8.slice(value, value + length)
    return edgeGameStorageStore.begin(UTF8ToString(name), 'readwrite', function (values) {
      return values.put(bytes, text)
    })
  },

  EdgeGameStorageStoreDelete__deps: ['$edgeGameStorageStore'],
  EdgeGameStorageStoreDelete: function (name, key) {
    var text = UTF8ToString(key)
    return edgeGameStorageStore.begin(UTF8ToString(name), 'readwrite', function (values) {
      return values.delete(text)
    })
  },

  // 0: under way, 1: done, 2: failed.
  EdgeGameStorageStoreState__deps: ['$edgeGameStorageStore'],
  EdgeGameStorageStoreState: function (id) {
    return edgeGameStorageStore.requests[id].state
  },

  // Unity frees the text.
  EdgeGameStorageStoreError__deps: ['$edgeGameStorageStore'],
  EdgeGameStorageStoreError: function (id) {
    var text = edgeGameStorageStore.requests[id].error
    var size = lengthBytesUTF8(text) + 1
    var pointer = _malloc(size)
    stringToUTF8(text, pointer, size)
    return pointer
  },

  // The length of the value; -1 when the key has none.
  EdgeGameStorageStoreLength__deps: ['$edgeGameStorageStore'],
  EdgeGameStorageStoreLength: function (id) {
    var value = edgeGameStorageStore.requests[id].value
    return value ? value.length : -1
  },

  EdgeGameStorageStoreCopy__deps: ['$edgeGameStorageStore'],
  EdgeGameStorageStoreCopy: function (id, target) {
    HEAPU8.set(edgeGameStorageStore.requests[id].value, target)
  },

  EdgeGameStorageStoreForget__deps: ['$edgeGameStorageStore'],
  EdgeGameStorageStoreForget: function (id) {
    delete edgeGameStorageStore.requests[id]
  },
})
