// Sockets of the browser for BrowserSocket.cs. Emscripten merges these functions into the player.
mergeInto(LibraryManager.library, {
  $edgeGameStorageSockets: { last: 0, open: {} },

  EdgeGameStorageSocketOpen__deps: ['$edgeGameStorageSockets'],
  EdgeGameStorageSocketOpen: function (url, protocol, bearer) {
    var id = ++edgeGameStorageSockets.last
    var state = { messages: [], isOpen: false, closeCode: 0, socket: null }
    edgeGameStorageSockets.open[id] = state
    try {
      state.socket = new WebSocket(UTF8ToString(url), [UTF8ToString(protocol), UTF8ToString(bearer)])
    } catch (error) {
      state.closeCode = 1006
      return id
    }
    state.socket.onopen = function () {
      state.isOpen = true
    }
    state.socket.onmessage = function (event) {
      if (typeof event.data === 'string') state.messages.push(event.data)
    }
    state.socket.onclose = function (event) {
      state.closeCode = event.code || 1006
    }
    return id
  },

  EdgeGameStorageSocketIsOpen__deps: ['$edgeGameStorageSockets'],
  EdgeGameStorageSocketIsOpen: function (id) {
    var state = edgeGameStorageSockets.open[id]
    return state && state.isOpen ? 1 : 0
  },

  // The oldest message that has not been taken; 0 (null) when there is none. Unity frees the text.
  EdgeGameStorageSocketNext__deps: ['$edgeGameStorageSockets'],
  EdgeGameStorageSocketNext: function (id) {
    var state = edgeGameStorageSockets.open[id]
    if (!state || state.messages.length === 0) return 0
    var text = state.messages.shift()
    var size = lengthBytesUTF8(text) + 1
    var pointer = _malloc(size)
    stringToUTF8(text, pointer, size)
    return pointer
  },

  EdgeGameStorageSocketSend__deps: ['$edgeGameStorageSockets'],
  EdgeGameStorageSocketSend: function (id, text) {
    var state = edgeGameStorageSockets.open[id]
    if (state && state.socket && state.socket.readyState === 1) state.socket.send(UTF8ToString(text))
  },

  EdgeGameStorageSocketCloseCode__deps: ['$edgeGameStorageSockets'],
  EdgeGameStorageSocketCloseCode: function (id) {
    var state = edgeGameStorageSockets.open[id]
    return state ? state.closeCode : 1006
  },

  EdgeGameStorageSocketClose__deps: ['$edgeGameStorageSockets'],
  EdgeGameStorageSocketClose: function (id) {
    var state = edgeGameStorageSockets.open[id]
    delete edgeGameStorageSockets.open[id]
    if (state && state.socket) state.socket.close()
  },
})
